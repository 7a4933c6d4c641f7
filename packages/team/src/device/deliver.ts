// One segment, one batch, one record: what is sent, and what becomes of what cannot be.

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

/** A gap is told as a file of its own, so that the server knows it when it hears of it again. */
export async function sendGaps(sending: Sending): Promise<void> {
  const { folder, disk } = sending
  for (const { id, ...gap } of gapsOf(folder)) {
    await ask(sending, { segment: id, from: 0, to: 1, gaps: [gap] })
    forgetGap(folder, disk, id)
  }
}

/** A last line without a line break: its writer has had time enough. */
const CLOSED_MS = 60_000
/** What the numbers of the API can say. */
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

/** Up to where the segment is done now. */
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
    if (done === from) throw new CallError('answer', 'The server stored nothing of what it was sent.', 200)
    const unwanted = rejected.flatMap(({ index, code, message }) => {
      const line = records[index]
      return line && line.end <= done ? [{ code, message, line }] : []
    })
    const big = huge.filter(({ end }) => end <= done).map(line => ({ code: 'too_large', message: '', line }))
    // On a full disk nothing can be noted. It is only a saving; what is stored must still go away.
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

/** A single record that the server cannot take must not hold up the rest. */
function setAside(sending: Sending, segment: Segment, { to, records }: Batch, error: CallError): number {
  const { around, folder, disk } = sending
  const [line] = records
  // Who finds a small one too large finds all too large, and who has taken none may take none at all: that is no fault
  // of the record, and it waits.
  const isAtFault = error.status === 413 ? (line?.bytes.length ?? 0) >= 16 * 1024 : sending.sent > 0
  if (!line || error.status === 429 || !isAtFault) throw error
  refuse(folder, disk, around.now(), [{ code: error.rpcCode ?? 'too_large', message: error.message, line }])
  giveUp(folder, disk, segment, to, 'refused')
  sending.refused++
  sending.mostRecords = MOST_RECORDS
  return to
}

/** Too much at once, or something in it that the server cannot read: a smaller piece may pass. */
export const isTooMuch = ({ status, rpcCode, waitMs }: CallError): boolean =>
  status === 413 ||
  (status === 429 && rpcCode === 'resource_exhausted' && waitMs === undefined) ||
  (status === 400 && rpcCode === 'invalid_argument')

async function ask(
  { around, enrolment, signal }: Sending,
  request: SendRecordsInit,
): Promise<SendRecordsResponse> {
  const answer = await call(around, enrolment, DeviceService.method.sendRecords, request, { signal })
  if (answer.kind !== 'answer') throw new CallError('answer', 'The server answered without an answer.', 304)
  return answer.value
}

type SendRecordsInit = MessageInitShape<typeof SendRecordsRequestSchema>

const gapsIn = ({ touchedMs }: Segment, count: number, reason: string) => {
  const at = new Date(touchedMs).toISOString()
  return count > 0 ? [{ from: at, to: at, count, reason }] : []
}
