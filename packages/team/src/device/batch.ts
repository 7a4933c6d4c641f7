// A piece of a segment as a batch: whole lines, each a record. What is torn is counted, so that no loss is silent.

import { chunksOf, NEWLINE } from './queue.js'

export interface Line {
  readonly bytes: Uint8Array
  /** Behind its line break. */
  readonly end: number
}

/** Runs that were never written down. */
export interface Gap {
  readonly from: string
  readonly to: string
  readonly count: number
  readonly reason: string
}

export interface Batch {
  readonly from: number
  readonly to: number
  readonly records: readonly Line[]
  /** What the engine itself had to leave out. */
  readonly gaps: readonly Gap[]
  /** Lines, or parts of one, that are no records. */
  readonly torn: number
  /** Lines that no server takes. */
  readonly huge: readonly Line[]
}

export const MOST_RECORDS = 1000
export const MOST_BYTES = 1024 * 1024
const MOST_GAPS = 50
/** How every record begins: what stands before it on the same line is one that was cut short. */
const BEGINNING = Buffer.from('{"id":"')

export interface BatchOptions {
  readonly mostRecords: number
  /** Nobody writes to it any more: a last line without a line break is one, too. */
  readonly isClosed: boolean
}

/** The next batch from an offset; undefined if there is none, or not yet. */
export function readBatch(
  file: string,
  from: number,
  size: number,
  { mostRecords, isClosed }: BatchOptions,
): Batch | undefined {
  const records: Line[] = []
  const huge: Line[] = []
  const gaps: Gap[] = []
  let [torn, bytes, to] = [0, 0, from]
  for (const { line, end } of linesOf(file, from, size, isClosed)) {
    if (records.length > 0 && bytes + line.length > MOST_BYTES) break
    if (line.length > MOST_BYTES) huge.push({ bytes: line.subarray(0, 1000), end })
    else if (line.length > 0) {
      const { record, gap, isTorn } = readLine(line)
      if (isTorn) torn++
      if (gap) addGap(gaps, gap)
      if (record) records.push({ bytes: record, end })
      bytes += line.length
    }
    to = end
    if (records.length >= mostRecords || gaps.length >= MOST_GAPS || to - from > 4 * MOST_BYTES) break
  }
  return to > from ? { from, to, records, gaps, torn, huge } : undefined
}

/** What the numbers of the API can say. */
export const MOST_COUNT = 2 ** 31 - 1

/** One after the other for the same reason are one. */
export function addGap(gaps: Gap[], gap: Gap): void {
  const last = gaps.at(-1)
  if (last?.reason !== gap.reason) return void gaps.push(gap)
  gaps.splice(-1, 1, { ...last, to: gap.to, count: Math.min(last.count + gap.count, MOST_COUNT) })
}

interface Read {
  readonly record?: Buffer
  readonly gap?: Gap
  readonly isTorn: boolean
}

/** A write that was cut short has no line break, so the next record may stand behind it on the same line. */
export function readLine(line: Buffer): Read {
  const whole = parse(line)
  if (whole) {
    const gap = gapIn(whole)
    return gap ? { gap, isTorn: false } : { record: line, isTorn: false }
  }
  const start = line.lastIndexOf(BEGINNING)
  const rest = start > 0 ? line.subarray(start) : undefined
  return rest && parse(rest) ? { record: rest, isTorn: true } : { isTorn: true }
}

function parse(line: Buffer): Record<string, unknown> | undefined {
  if (line[0] !== 0x7b) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** How the engine says that its queue was full. */
function gapIn({ id, gap }: Record<string, unknown>): Gap | undefined {
  if (id !== undefined || typeof gap !== 'object' || gap === null) return undefined
  const { from, to, count, reason } = gap as Record<string, unknown>
  return {
    from: String(from ?? ''),
    to: String(to ?? ''),
    count: Number.isSafeInteger(count) && (count as number) > 0 ? Math.min(count as number, MOST_COUNT) : 1,
    reason: String(reason ?? ''),
  }
}

export function* linesOf(file: string, from: number, size: number, isClosed: boolean) {
  let rest: Buffer[] = []
  let end = from
  for (const chunk of chunksOf(file, from, size)) {
    let start = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, at)])
      rest = []
      end += line.length + 1
      start = at + 1
      yield { line, end }
    }
    rest.push(chunk.subarray(start))
  }
  const line = Buffer.concat(rest)
  if (isClosed && line.length > 0) yield { line, end: end + line.length }
}
