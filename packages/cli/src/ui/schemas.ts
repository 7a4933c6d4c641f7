// The JSON Schemas that come with the engine, for the editors of the pages.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const kept = new Map<string, string>()

export const fileSchema = () => schema('hooks.schema.json')
export const payloadSchema = (event: string) => schema(`payload/${event}.schema.json`)

function schema(name: string): string {
  let text = kept.get(name)
  if (text === undefined) {
    const file = require.resolve(`@holdfast/hooks/schema/${name}`)
    // Without line breaks, because a page waits for it.
    text = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))
    kept.set(name, text)
  }
  return text
}
