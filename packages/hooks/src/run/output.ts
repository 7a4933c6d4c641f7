// What is kept of the output of a hook. A hook may print without end, and its deny may come last.

import { DENYING_PAIR } from '../protocol/response-fields.js'
import type { Exit, Failure } from '../protocol/run.js'

export const STDOUT_LIMIT = 1024 * 1024

const OVERFLOW: Failure = Object.freeze({
  code: 'run/overflow',
  message: `It printed more than ${STDOUT_LIMIT} bytes on stdout.`,
})

export const stdoutCollector = (): Collector => collector(STDOUT_LIMIT / 2, STDOUT_LIMIT / 2)

/** The failure of a hook that printed more than is kept. */
export const overflowOf = (stdout: Collector): Pick<Exit, 'failure' | 'omitsDeny'> | undefined =>
  stdout.count() > STDOUT_LIMIT
    ? { failure: OVERFLOW, ...(stdout.mentionsDeny() && { omitsDeny: true }) }
    : undefined

/** In bytes, with every character escaped. */
const LONGEST_PAIR = 400

/** Replaces the dropped part. Without a line end: a long text inside a JSON object stays one text, only shorter. */
const OMITTED = Buffer.from(' … ')

export type Collector = ReturnType<typeof collector>

/** Keeps the first and the last bytes of a stream, up to the given number of each. */
export function collector(fromStart: number, fromEnd: number) {
  const start: Buffer[] = []
  let end: Buffer[] = []
  let bytes = 0
  let endBytes = 0
  let mentionsDeny = false
  /** A decision may be split over two chunks. */
  let before = ''
  const look = (chunk: Buffer) => {
    const text = before + chunk.toString('latin1')
    mentionsDeny ||= DENYING_PAIR.test(text)
    before = text.replace(/[ \t\r\n]+/g, ' ').slice(-LONGEST_PAIR)
  }
  return {
    take(chunk: Buffer): void {
      const room = Math.max(0, fromStart - bytes)
      bytes += chunk.length
      if (room > 0) start.push(chunk.subarray(0, room))
      if (fromEnd === 0 || chunk.length <= room) return
      if (before === '') before = Buffer.concat(start).toString('latin1').slice(-LONGEST_PAIR)
      if (!mentionsDeny) look(chunk.subarray(room))
      end.push(chunk.subarray(room))
      endBytes += chunk.length - room
      // Twice as much as is kept, so that each byte is copied once at most.
      if (endBytes > 2 * fromEnd) {
        end = [Buffer.concat(end).subarray(-fromEnd)]
        endBytes = fromEnd
      }
    },
    count: () => bytes,
    /** Of the bytes after the first part, kept or not. */
    mentionsDeny: () => mentionsDeny,
    /** Decoded once, at the end: a character may be split over two chunks. */
    text(): string {
      if (bytes === 0) return ''
      if (end.length === 0) return (start.length === 1 ? start[0]! : Buffer.concat(start)).toString('utf8')
      const isCut = bytes > fromStart + fromEnd
      const last = isCut ? [OMITTED, Buffer.concat(end).subarray(-fromEnd)] : end
      return Buffer.concat([...start, ...last]).toString('utf8')
    },
  }
}
