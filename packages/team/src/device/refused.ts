// Records that the server rejected, for inspection. Their number is limited.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Line } from './batch.js'
import type { Disk } from './disk.js'

export interface Unwanted {
  readonly code: string
  readonly message: string
  readonly line: Line
}

const MOST_BYTES = 1024 * 1024
const MOST_OF_ONE = 16 * 1024

export function refuse(folder: string, disk: Disk, now: number, unwanted: readonly Unwanted[]): void {
  if (unwanted.length === 0) return
  const file = join(folder, 'refused.jsonl')
  if ((lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) {
    disk.move(file, join(folder, 'refused.1.jsonl'))
  }
  const at = new Date(now).toISOString()
  const lines = unwanted.map(({ code, message, line }) => {
    const record = Buffer.from(line.bytes.subarray(0, MOST_OF_ONE)).toString('utf8')
    return `${JSON.stringify({ at, code, message, bytes: line.bytes.length, record })}\n`
  })
  disk.append(file, Buffer.from(lines.join('')))
}
