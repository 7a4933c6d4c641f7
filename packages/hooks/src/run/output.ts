// What is kept of the output of a hook. A hook may print without end, and its deny may come last.

import { DENYING_PAIR } from '../protocol/response-fields.js'
import type { Exit, Failure } from '../protocol/run.js'

export const STDOUT_LIMIT = 1024 * 1024

const OVERFLOW: Failure = Object.freeze({
  code: 'run/overflow',
  message: `It printed more than ${STDOUT_LIMIT} bytes on stdout.`,
})

export const stdoutCollector = (): Collector => new Collector(STDOUT_LIMIT / 2, STDOUT_LIMIT / 2)

/** The failure of a hook that printed more than is kept. */
export const overflowOf = ({
  count,
  mentionsDeny,
}: Collector): Pick<Exit, 'failure' | 'omitsDeny'> | undefined =>
  count > STDOUT_LIMIT ? { failure: OVERFLOW, ...(mentionsDeny && { omitsDeny: true }) } : undefined

/** In bytes, with every character escaped. */
const LONGEST_PAIR = 400

/** Replaces the dropped part. Without a line end: a long text inside a JSON object stays one text, only shorter. */
const OMITTED = Buffer.from(' … ')

/** Keeps the first and the last bytes of a stream, up to the given number of each. */
export class Collector {
  /** The bytes of the stream so far. */
  count = 0
  /** Of the bytes after the first part, kept or not. */
  mentionsDeny = false
  private readonly start: Buffer[] = []
  private end: Buffer[] = []
  private endBytes = 0
  /** A decision may be split over two chunks. */
  private before = ''

  constructor(
    private readonly fromStart: number,
    private readonly fromEnd: number,
  ) {}

  take(chunk: Buffer): void {
    const { start, fromEnd } = this
    const room = Math.max(0, this.fromStart - this.count)
    this.count += chunk.length
    if (room > 0) start.push(chunk.subarray(0, room))
    if (fromEnd === 0 || chunk.length <= room) return
    if (this.before === '') this.before = Buffer.concat(start).toString('latin1').slice(-LONGEST_PAIR)
    if (!this.mentionsDeny) this.look(chunk.subarray(room))
    this.end.push(chunk.subarray(room))
    this.endBytes += chunk.length - room
    // Twice as much as is kept, so that each byte is copied once at most.
    if (this.endBytes > 2 * fromEnd) {
      this.end = [Buffer.concat(this.end).subarray(-fromEnd)]
      this.endBytes = fromEnd
    }
  }

  /** Decoded once, at the end: a character may be split over two chunks. */
  text(): string {
    const { count, start, end, fromEnd } = this
    if (count === 0) return ''
    if (end.length === 0) return (start.length === 1 ? start[0]! : Buffer.concat(start)).toString('utf8')
    const isCut = count > this.fromStart + fromEnd
    const last = isCut ? [OMITTED, Buffer.concat(end).subarray(-fromEnd)] : end
    return Buffer.concat([...start, ...last]).toString('utf8')
  }

  private look(chunk: Buffer): void {
    const text = this.before + chunk.toString('latin1')
    this.mentionsDeny ||= DENYING_PAIR.test(text)
    this.before = text.replace(/[ \t\r\n]+/g, ' ').slice(-LONGEST_PAIR)
  }
}
