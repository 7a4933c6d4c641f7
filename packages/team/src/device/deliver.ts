// One segment, one batch, one record: sending, and handling what cannot be sent.

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Enrolment } from '@holdfast/hooks/team'
import {
  DeviceService,
  type SendRecordsRequestSchema,
  type SendRecordsResponse,
} from '../gen/holdfast/team/v1/device_pb.js'
import type { Around } from './around.js'
import { type Batch, MOST_RECORDS, readBatch } from './batch.js'
import { forgetGap, gapsOf, giveUp } from './bound.js'
import type { Disk } from './disk.js'
import { dropIfStill, noteDone, type Segment } from './queue.js'
import { refuse } from './refused.js'
import { CallError, call } from './rpc.js'

export interface Sending {
  readonly around: Around
  readonly enrolment: Enrolment
  readonly folder: string
  readonly disk: Disk
  readonly signal: AbortSignal | undefined
  sent: number
  refused: number
  torn: number
  mostRecords: number
}

/** A gap is sent as a file of its own, so that the server recognises a repetition. */
export async function sendGaps(sending: Sending): Promise<void> {
  const { folder, disk } = sending
  for (const { id, ...gap } of gapsOf(folder)) {
    await ask(sending, { segment: id, from: 0, to: 1, gaps: [gap] })
    forgetGap(folder, disk, id)
  }
}

/** A last line without a line break: its writer has had enough time. */
const CLOSED_MS = 60_000
/** The largest number in the API. */
const LAST_OFFSET = 2 ** 31 - 1

export async function sendSegment(sending: Sending, segment: Segment): Promise<void> {
  const { around, folder, disk, signal } = sending
  const isClosed = around.now() - segment.touchedMs > CLOSED_MS
  const size = Math.min(segment.size, LAST_OFFSET)
  let done = segment.done
  while (!signal?.aborted) {
    const batch = readBatch(segment.file, done, size, { mostRecords: sending.mostRecords, isClosed })
    if (!batch) break
    done = await sendBatch(sending, { ...segment, done }, batch)
  }
  if (done >= segment.size) dropIfStill(folder, disk, segment, around.now())
  if (segment.size > LAST_OFFSET && done + MOST_LINE > LAST_OFFSET)
    giveUp(folder, disk, { ...segment, done }, segment.size, 'queue-full')
}
const MOST_LINE = 64 * 1024 * 1024

/** The offset up to which the segment is done. */
async function sendBatch(sending: Sending, segment: Segment, batch: Batch): Promise<number> {
  const { around, folder, disk, signal } = sending
  const { from, to, records, gaps, torn, huge } = batch
  try {
    const { ackedTo, rejected, waitMs } = await ask(sending, {
      segment: segment.id,
      from,
      to,
      records: records.map(({ bytes }) => bytes),
      gaps: [...gaps, ...gapsIn(segment, torn, 'torn'), ...gapsIn(segment, huge.length, 'too-large')],
    })
    const done = ackedTo >= to ? to : (records.findLast(({ end }) => end <= ackedTo)?.end ?? from)
    if (done === from) throw new CallError('answer', 'The server stored none of the records.', 200)
    const unwanted = rejected.flatMap(({ index, code, message }) => {
      const line = records[index]
      return line && line.end <= done ? [{ code, message, line }] : []
    })
    const big = huge.filter(({ end }) => end <= done).map(line => ({ code: 'too_large', message: '', line }))
    // On a full disk nothing can be noted. Stored records must still be removed.
    try {
      refuse(folder, disk, around.now(), [...unwanted, ...big])
      noteDone(folder, disk, segment.id, done)
    } catch {}
    sending.sent += records.filter(({ end }) => end <= done).length - unwanted.length
    sending.refused += unwanted.length + big.length
    if (done === to) sending.torn += torn
    if (waitMs > 0) await around.sleep(Math.min(waitMs, 60_000), signal)
    return done
  } catch (error) {
    if (!(error instanceof CallError) || !isTooMuch(error)) throw error
    if (records.length > 1) {
      sending.mostRecords = Math.floor(records.length / 2)
      return from
    }
    return setAside(sending, segment, batch, error)
  }
}

/** A single record that the server rejects must not block the others. */
function setAside(sending: Sending, segment: Segment, { to, records }: Batch, error: CallError): number {
  const { around, folder, disk } = sending
  const [line] = records
  // A server that rejects a small record as too large rejects all, and one that has accepted none may be misconfigured:
  // the record is not at fault, and waits.
  const isAtFault = error.status === 413 ? (line?.bytes.length ?? 0) >= 16 * 1024 : sending.sent > 0
  if (!line || error.status === 429 || !isAtFault) throw error
  refuse(folder, disk, around.now(), [{ code: error.rpcCode ?? 'too_large', message: error.message, line }])
  giveUp(folder, disk, segment, to, 'refused')
  sending.refused++
  sending.mostRecords = MOST_RECORDS
  return to
}

/** Too large, or with content that the server cannot read: a smaller part may be accepted. */
export const isTooMuch = ({ status, rpcCode, waitMs }: CallError): boolean =>
  status === 413 ||
  (status === 429 && rpcCode === 'resource_exhausted' && waitMs === undefined) ||
  (status === 400 && rpcCode === 'invalid_argument')

async function ask(
  { around, enrolment, signal }: Sending,
  request: SendRecordsInit,
): Promise<SendRecordsResponse> {
  const answer = await call(around, enrolment, DeviceService.method.sendRecords, request, { signal })
  if (answer.kind !== 'answer') throw new CallError('answer', 'The server sent an empty response.', 304)
  return answer.value
}

type SendRecordsInit = MessageInitShape<typeof SendRecordsRequestSchema>

const gapsIn = ({ touchedMs }: Segment, count: number, reason: string) => {
  const at = new Date(touchedMs).toISOString()
  return count > 0 ? [{ from: at, to: at, count, reason }] : []
}
