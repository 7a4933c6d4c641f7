// SendRecords: the records of a device.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { DeviceService, SendRecordsRequest } from '@holdfast/team'
import { deviceIn } from '../access/person.js'
import { packed } from '../records/batch.js'
import { RequestError } from '../request-error.js'
import type { Team } from '../team.js'
import { openDayQuota, openQuota } from './quota.js'

const MOST_RECORDS = 1000
const MOST_GAPS = 100
const TOLD_EVERY_MS = 1000
const BUSY_MS = 2000
const FULL_MS = 60_000

export function receiveRpc(team: Team): Pick<ServiceImpl<typeof DeviceService>, 'sendRecords'> {
  const quota = openQuota(team.now)
  const day = openDayQuota(team.store)
  const tell = seldom(() => team.hub.changed('records'), TOLD_EVERY_MS)
  return {
    async sendRecords(request: SendRecordsRequest, context: HandlerContext) {
      const { deviceId } = deviceIn(context)
      mustBeBatch(request)
      const { segment, from, to, records, gaps } = request
      const batch = { deviceId, segment, from, to, gaps: gaps.map(plain), ...packed(records) }
      const size = batch.bytes.length
      const wait =
        quota.take(deviceId, records.length + gaps.length, size) || (await day.take(deviceId, size))
      if (wait > 0) {
        comeBack(context, wait)
        throw new RequestError('too-much', `This device sends too many records. Try again in ${wait} ms.`)
      }
      if (team.records.isDiskFull()) {
        comeBack(context, FULL_MS)
        throw new RequestError(
          'too-much',
          'The disk of the server is nearly full, so it accepts no records. Store them, and try again in a minute.',
        )
      }
      if (!team.records.hasRoomFor(batch)) {
        comeBack(context, BUSY_MS)
        throw new RequestError(
          'too-much',
          'More records wait than can be stored at once. Try again in a moment.',
        )
      }
      const stored = await team.records.store(batch, team.now())
      if (stored.added > 0) tell()
      return {
        ackedTo: stored.ackedTo,
        rejected: stored.rejected.map(({ index, code, message }) => ({ index, code, message })),
        waitMs: quota.pause(deviceId),
      }
    },
  }
}

/** Without it a device would treat the batch as too large. */
function comeBack({ responseHeader }: HandlerContext, waitMs: number): void {
  responseHeader.set('retry-after', String(Math.ceil(waitMs / 1000)))
  responseHeader.set('retry-after-ms', String(waitMs))
}

function mustBeBatch({ segment, from, to, records, gaps }: SendRecordsRequest): void {
  if (!/^[\w.-]{1,64}$/.test(segment)) {
    throw new RequestError('invalid', 'segment must be 1 to 64 letters, digits, ".", "_" or "-".')
  }
  if (from < 0 || to < from) {
    throw new RequestError('invalid', `from is ${from} and to is ${to}; expected 0 <= from <= to.`)
  }
  if (records.length > 0 && to === from) {
    throw new RequestError('invalid', 'There are records, but from and to name no bytes.')
  }
  if (records.length > MOST_RECORDS) {
    throw new RequestError(
      'too-much',
      `There are ${records.length} records; ${MOST_RECORDS} is the most at once.`,
    )
  }
  if (gaps.length > MOST_GAPS) {
    throw new RequestError('too-much', `There are ${gaps.length} gaps; ${MOST_GAPS} is the most at once.`)
  }
  const odd = gaps.find(({ count }) => count < 0)
  if (odd) throw new RequestError('invalid', `A gap has the count ${odd.count}; expected 0 or more.`)
}

/** A message object has more than its fields and cannot be transferred to a thread. */
const plain = ({ from, to, count, reason }: SendRecordsRequest['gaps'][number]) => ({
  from,
  to,
  count,
  reason,
})

/** At once, and then at most once in this time; the last call always runs. */
export function seldom(act: () => void, everyMs: number): () => void {
  let timer: NodeJS.Timeout | null = null
  let isWanted = false
  const actNow = () => {
    act()
    isWanted = false
    timer = setTimeout(() => {
      timer = null
      if (isWanted) actNow()
    }, everyMs).unref()
  }
  return () => {
    if (timer) isWanted = true
    else actNow()
  }
}
