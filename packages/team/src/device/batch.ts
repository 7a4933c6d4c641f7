// A piece of a segment as a batch: whole lines, each a record. What is torn is counted, so that no loss is silent.

import { chunksOf } from './queue.js'

export interface Line {
  readonly bytes: Uint8Array
  /** Behind its line break. */
  readonly end: number
}

export interface Batch {
  readonly from: number
  readonly to: number
  readonly records: readonly Line[]
  /** Lines, or parts of one, that are no records. */
  readonly torn: number
  /** Lines that no server takes. */
  readonly huge: readonly Line[]
}

export const MOST_RECORDS = 1000
export const MOST_BYTES = 1024 * 1024
const NEWLINE = 10
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
  let [torn, bytes, to] = [0, 0, from]
  for (const { line, end } of linesOf(file, from, size, isClosed)) {
    if (line.length > MOST_BYTES) {
      huge.push({ bytes: line.subarray(0, 1000), end })
      to = end
      continue
    }
    const record = recordIn(line)
    if (records.length > 0 && bytes + line.length > MOST_BYTES) break
    if (line.length > 0 && record?.length !== line.length) torn++
    if (record) {
      records.push({ bytes: record, end })
      bytes += record.length
    }
    to = end
    if (records.length >= mostRecords || to - from > 4 * MOST_BYTES) break
  }
  return to > from ? { from, to, records, torn, huge } : undefined
}

/** A write that was cut short has no line break, so the next record stands behind it on the same line. */
function recordIn(line: Buffer): Buffer | undefined {
  if (isObject(line)) return line
  const start = line.lastIndexOf(BEGINNING)
  const rest = start > 0 ? line.subarray(start) : undefined
  return rest && isObject(rest) ? rest : undefined
}

function isObject(line: Buffer): boolean {
  if (line[0] !== 0x7b) return false
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line)
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

function* linesOf(file: string, from: number, size: number, isClosed: boolean) {
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
