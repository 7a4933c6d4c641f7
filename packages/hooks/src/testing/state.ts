// What hooks keep for a conversation is kept apart from what real hooks keep, and gone when the tests are.

import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './ending.js'

let own: string | undefined

/** One folder for the process: two cases with the same conversation_id share what they remember. */
export function keepStateApart(): void {
  if (own !== undefined || process.env.HOLDFAST_STATE) return
  const folder = join(tmpdir(), `holdfast-testing-state-${process.pid}-${Date.now().toString(36)}`)
  own = folder
  process.env.HOLDFAST_STATE = folder
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
}
