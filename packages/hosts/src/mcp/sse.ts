// Server-sent events, as far as MCP uses them.

import type { Readable } from 'node:stream'
import { linesOf } from './lines.js'

export interface ServerEvent {
  /** The place to go on from after a break. */
  readonly id: string | undefined
  readonly retryMs: number | undefined
  /** Null when the event carries nothing, or too much. */
  readonly data: string | null
}

export async function* eventsOf(input: Readable): AsyncGenerator<ServerEvent> {
  let id: string | undefined
  let retryMs: number | undefined
  let name = 'message'
  let data: string[] = []
  let isTooLong = false
  for await (const bytes of linesOf(input)) {
    if (bytes === null) {
      isTooLong = true
      continue
    }
    const line = bytes.toString('utf8').replace(/\r?\n$/, '')
    if (line !== '') {
      const colon = line.indexOf(':')
      const field = colon === -1 ? line : line.slice(0, colon)
      const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
      if (field === 'data') data.push(value)
      else if (field === 'event') name = value
      else if (field === 'id') id = value
      else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value)
      continue
    }
    const said = data.join('\n')
    yield { id, retryMs, data: isTooLong || said === '' || name !== 'message' ? null : said }
    name = 'message'
    data = []
    isTooLong = false
  }
}
