// Sends waiting records, batch by batch, the newest file first: current events matter more than the backlog. Nothing is
// deleted before the server confirms that it is stored; sending again is harmless.

import { join } from 'node:path'
import { folderProblem, loadEnrolment, lock, placeOf } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { MOST_RECORDS } from './batch.js'
import { keepWithin, MOST_PENDING_BYTES } from './bound.js'
import { isTooMuch, type Sending, sendGaps, sendSegment } from './deliver.js'
import { openDisk } from './disk.js'
import { type Problem, type ProblemCode, problemAt, reasonOf } from './problems.js'
import { countQueued, dropDone, rotate, type Segment, segmentsOf } from './queue.js'
import { CallError } from './rpc.js'

export interface SendResult {
  readonly kind: 'sent' | 'failed'
  readonly sent: number
  /** Records that the server rejected; they are in refused.jsonl. */
  readonly refused: number
  readonly torn: number
  /** Records that still wait. */
  readonly left: number
  readonly problem?: Problem
  /** How long the server asks to wait. */
  readonly waitMs?: number | undefined
}

export interface SendOptions {
  readonly signal?: AbortSignal
  /** Also records that were just written. */
  readonly urgent?: boolean
  /** For tests. */
  readonly mostPendingBytes?: number
}

export async function sendRecords(
  around: Around,
  teamId: string,
  options: SendOptions = {},
): Promise<SendResult> {
  const place = placeOf(around.home, teamId)
  const folder = place.queue
  const counts = { sent: 0, refused: 0, torn: 0 }
  const failed = (code: ProblemCode, message: string, waitMs?: number): SendResult => ({
    kind: 'failed',
    ...counts,
    left: countQueued(folder),
    problem: problemAt(around, code, message),
    waitMs,
  })
  const enrolment = loadEnrolment(place)
  if (!enrolment) return failed('enrolment', `This machine does not belong to the team ${teamId}.`)
  const inTheWay = folderProblem(place)
  if (inTheWay) return failed('tampered', inTheWay)
  const sending: Sending = Object.assign(counts, {
    around,
    enrolment,
    folder,
    disk: openDisk({ ...around, random: around.unique }),
    signal: options.signal,
    mostRecords: MOST_RECORDS,
  })
  try {
    sending.disk.folder(folder)
    const held = await lock(join(folder, 'lock'), around, 1000)
    if (!held) return failed('busy', 'Another process sends the records.')
    try {
      await sendAll(sending, options)
    } finally {
      held.release()
    }
  } catch (error) {
    if (error instanceof CallError) return failed(error.code, error.message, error.waitMs)
    return failed('disk', reasonOf(error))
  }
  const { sent, refused, torn } = sending
  return { kind: 'sent', sent, refused, torn, left: countQueued(folder) }
}

async function sendAll(
  sending: Sending,
  { urgent = false, mostPendingBytes = MOST_PENDING_BYTES }: SendOptions,
) {
  const { around, folder, disk } = sending
  rotate(folder, disk, around.unique(), around.now(), urgent)
  try {
    await sendGaps(sending)
    const stuck: Segment[] = []
    for (const segment of segmentsOf(folder).reverse()) {
      await sendSegment(sending, segment).catch(error => {
        if (!(error instanceof CallError && isTooMuch(error))) throw error
        stuck.push(segment)
      })
    }
    // Repeated, because it is known now whether the server accepts anything at all.
    for (const segment of stuck) await sendSegment(sending, segment)
    // Records that sending itself caused.
    await sendGaps(sending)
  } finally {
    keepWithin(folder, disk, { now: around.now(), mostBytes: mostPendingBytes })
    dropDone(folder, disk, around.now())
  }
}
