// The records that one device sends at once, and their result.

import { type Gap, readGap } from './gap.js'
import { type Arrival, type NewRecord, readRecord, type Unfit } from './read-record.js'

export interface Batch {
  readonly deviceId: string
  readonly segment: string
  readonly from: number
  readonly to: number
  /** All records in one buffer, which is transferred to another thread without a copy, with the end of each. */
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
  readonly gaps: readonly Gap[]
}

export interface Rejected extends Unfit {
  readonly index: number
}

/** The part that is stored durably. */
export interface Stored {
  readonly ackedTo: number
  readonly rejected: readonly Rejected[]
  /** Rows that were not there before. */
  readonly added: number
}

export interface ReadBatch {
  readonly batch: Batch
  readonly rows: readonly NewRecord[]
  /** They have no position in the file of the device, so no cursor shows whether they came before. */
  readonly gaps: readonly NewRecord[]
  readonly rejected: readonly Rejected[]
}

export function packed(records: readonly Uint8Array[]): Pick<Batch, 'bytes' | 'ends'> {
  const ends = new Uint32Array(records.length)
  let size = 0
  for (const [index, record] of records.entries()) ends[index] = size += record.length
  const bytes = new Uint8Array(size)
  for (const [index, record] of records.entries()) bytes.set(record, ends[index]! - record.length)
  return { bytes, ends }
}

export function readBatch(batch: Batch, arrival: Omit<Arrival, 'deviceId'>): ReadBatch {
  const known: Arrival = { ...arrival, deviceId: batch.deviceId }
  const rows = new Map<string, NewRecord>()
  const rejected: Rejected[] = []
  let start = 0
  for (let index = 0; index < batch.ends.length; index++) {
    const end = batch.ends[index]!
    const read = readRecord(batch.bytes.subarray(start, end), known)
    start = end
    if ('code' in read) rejected.push({ index, ...read })
    else if (!rows.has(read.id)) rows.set(read.id, read)
  }
  return {
    batch,
    rows: [...rows.values()],
    gaps: batch.gaps.map(gap => readGap(gap, batch.segment, known)),
    rejected,
  }
}

/** The part of it that is still to be stored, given the stored length of its file. */
export const leftOf = ({ batch, rows, gaps }: ReadBatch, ackedTo: number): readonly NewRecord[] =>
  batch.to <= ackedTo ? gaps : gaps.length === 0 ? rows : [...rows, ...gaps]
