// A part of a segment as a batch: complete lines, one record each. Truncated records are counted, so that no loss is
// unreported.

import { chunksOf, NEWLINE } from './queue.js'

export interface Line {
  readonly bytes: Uint8Array
  /** After its line break. */
  readonly end: number
}

/** Runs that were never written. */
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
  /** Records that the engine dropped. */
  readonly gaps: readonly Gap[]
  /** Lines, or parts of lines, that are not records. */
  readonly torn: number
  /** Lines that no server accepts. */
  readonly huge: readonly Line[]
}

export const MOST_RECORDS = 1000
export const MOST_BYTES = 1024 * 1024
const MOST_GAPS = 50
/** The start of every record: text before it on the same line is a truncated record. */
const BEGINNING = Buffer.from('{"id":"')

export interface BatchOptions {
  readonly mostRecords: number
  /** No longer written: a last line without a line break counts, too. */
  readonly isClosed: boolean
}

/** The next batch from an offset; undefined if there is none yet. */
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

/** The largest number in the API. */
export const MOST_COUNT = 2 ** 31 - 1

/** Consecutive lost bytes for the same reason are merged. */
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

/** A truncated write has no line break, so the next record may follow on the same line. */
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

/** The record by which the engine reports a full queue. */
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
