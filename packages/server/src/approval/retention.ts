// Changes of how long records are kept. A single admin may lengthen it, or start a legal hold. Shortening it below
// the floor, or ending a hold, takes two; a shortening also takes effect only after seven days, so that others can
// object before records are deleted.

import type { Person } from '../access/actor.js'
import { append, mustStillBe } from '../audit/chain.js'
import { applyRecordDays } from '../audit/retention.js'
import { DAY_MS } from '../durations.js'
import { toNote } from '../note.js'
import { RequestError } from '../request-error.js'
import { deleteRequestsFor } from '../store/approvals.js'
import type { Tx } from '../store/open.js'
import { putHold, putShortening, type Retention, retentionIn } from '../store/retention.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'
import { withSecondPerson } from './four-eyes.js'

const MOST_DAYS = 3650
/** What one admin may set alone, in days. */
export const FLOOR_DAYS = 30
const NOTICE_MS = 7 * DAY_MS

/** Any number that one admin may set alone also withdraws a shortening. */
export async function setRecordDays(team: Team, actor: Person, days: number): Promise<Retention> {
  if (days < 1 || days > MOST_DAYS) {
    throw new RequestError('invalid', `record_days is ${days}; expected 1 to ${MOST_DAYS}.`)
  }
  const method = 'AuditService/SetRetention'
  const { recordDays } = await retentionIn(team.store.db)
  if (days >= Math.min(recordDays, FLOOR_DAYS)) {
    return team.store.write(async tx => {
      await oneAtATime(tx)
      await mustStillBe(tx, actor)
      const { recordDays: before } = await retentionIn(tx)
      // Another admin may have lengthened it since.
      if (days < Math.min(before, FLOOR_DAYS))
        throw new RequestError('stale', 'It was changed. Reload the page.')
      await deleteRequestsFor(tx, method)
      await applyRecordDays(team, tx, actor, { before, after: days })
      return retentionIn(tx)
    })
  }
  const change = {
    method,
    subject: 'the retention of records',
    wish: { days },
    call: { recordDays: days },
    isAlways: true,
  }
  return withSecondPerson(team, actor, change, async (tx, by) => {
    const { recordDays: before, shortening } = await retentionIn(tx)
    if (shortening?.days === days)
      throw new RequestError('exists', 'This was confirmed and takes effect later.')
    const dueAt = team.now() + NOTICE_MS
    await putShortening(tx, { days, by: by.requested_by ?? actor.name, at: team.now(), dueAt })
    await append(tx, actor, team.now(), {
      action: 'records.confirm-shortening',
      subject: `team ${team.id}`,
      detail: { before, after: days, due: new Date(dueAt).toISOString(), ...by },
    })
    return retentionIn(tx)
  })
}

/** An empty reason lifts the hold. */
export async function setLegalHold(team: Team, actor: Person, text: string): Promise<Retention> {
  const reason = toNote('reason', text)
  const make = async (tx: Tx, by: object) => {
    const { hold } = await retentionIn(tx)
    if (reason === '' && !hold) throw new RequestError('not-now', 'There is no legal hold.')
    await putHold(tx, reason === '' ? null : { reason, by: actor.name, at: team.now() })
    await append(tx, actor, team.now(), {
      action: reason === '' ? 'records.lift-hold' : 'records.hold',
      subject: `team ${team.id}`,
      detail: { reason: reason || hold!.reason, ...by },
    })
    return { hadHold: hold !== null, retention: await retentionIn(tx) }
  }
  const isBegin = reason !== '' && !(await retentionIn(team.store.db)).hold
  if (isBegin) {
    return team.store.write(async tx => {
      await oneAtATime(tx)
      const { hadHold, retention } = await make(tx, {})
      if (hadHold) throw new RequestError('stale', 'Another admin started a legal hold. Reload the page.')
      return retention
    })
  }
  const change = {
    method: 'AuditService/SetLegalHold',
    subject: 'the legal hold',
    wish: { reason },
    call: { reason },
    isAlways: true,
  }
  return (await withSecondPerson(team, actor, change, make)).retention
}
