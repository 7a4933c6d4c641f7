// How long records are kept. A single admin may lengthen it. Below the floor it is shortened by two admins, seven days
// after the second has confirmed, so that nobody erases what they did before anyone can object. Under a legal hold
// nothing is deleted.

import type { Person } from '../access/actor.js'
import { toNote } from '../note.js'
import { Refusal } from '../refusal.js'
import type { Db, Tx } from '../store/open.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { append, mustStillBe } from './chain.js'

const MOST_DAYS = 3650
/** What one admin may set alone, in days. */
export const FLOOR_DAYS = 30
const NOTICE_MS = 7 * 86_400_000
const PAUSE_MS = 100

/** A shortening below the floor that has not taken effect. */
export interface Shortening {
  readonly days: number
  readonly userId: string
  readonly by: string
  readonly at: number
  /** When it takes effect; null until a second admin has confirmed it. */
  readonly dueAt: number | null
}

export interface Hold {
  readonly reason: string
  readonly userId: string
  readonly by: string
  readonly at: number
}

export interface Retention {
  readonly recordDays: number
  readonly shortening: Shortening | null
  readonly hold: Hold | null
}

export async function retentionIn(db: Db | Tx): Promise<Retention> {
  const { record_days, shortening, legal_hold } = await db
    .selectFrom('team')
    .select(['record_days', 'shortening', 'legal_hold'])
    .executeTakeFirstOrThrow()
  return { recordDays: record_days, shortening: JSON.parse(shortening), hold: JSON.parse(legal_hold) }
}

/** Takes effect at once, or returns a shortening that waits for a second admin or for its day. */
export async function setRecordDays(team: Team, actor: Person, days: number): Promise<Retention> {
  if (days < 1 || days > MOST_DAYS) {
    throw new Refusal('invalid', `record_days is ${days}; expected 1 to ${MOST_DAYS}.`)
  }
  return team.store.write(async tx => {
    await oneAtATime(tx)
    await mustStillBe(tx, actor)
    const { recordDays: before, shortening } = await retentionIn(tx)
    if (days >= Math.min(before, FLOOR_DAYS)) {
      await apply(team, tx, actor, { before, after: days })
    } else {
      const next = await nextShortening(team, tx, actor, { days, before: shortening })
      await tx
        .updateTable('team')
        .set({ shortening: JSON.stringify(next) })
        .execute()
      await append(tx, actor, team.now(), {
        action: next.dueAt === null ? 'records.request-shortening' : 'records.confirm-shortening',
        subject: `team ${team.id}`,
        detail: {
          before,
          after: days,
          ...(next.dueAt === null ? {} : { due: new Date(next.dueAt).toISOString() }),
        },
      })
    }
    return retentionIn(tx)
  })
}

async function nextShortening(
  { now }: Team,
  tx: Tx,
  actor: Person,
  { days, before }: { days: number; before: Shortening | null },
): Promise<Shortening> {
  if (before?.days === days && before.userId !== actor.userId) {
    if (before.dueAt !== null) return before
    const { joined_at: joinedAt } = await tx
      .selectFrom('members')
      .select('joined_at')
      .where('user_id', '=', actor.userId)
      .executeTakeFirstOrThrow()
    // Otherwise an admin would confirm it with an account invited for this.
    if (joinedAt < before.at) return { ...before, dueAt: now() + NOTICE_MS }
    throw new Refusal('forbidden', 'You joined after this was requested. Another admin must confirm it.')
  }
  return { days, userId: actor.userId, by: actor.name, at: now(), dueAt: null }
}

async function apply(
  team: Team,
  tx: Tx,
  by: Person | 'server',
  { before, after }: { before: number; after: number },
): Promise<void> {
  await tx.updateTable('team').set({ record_days: after, shortening: 'null' }).execute()
  await append(tx, by, team.now(), {
    action: 'records.retention',
    subject: `team ${team.id}`,
    detail: { before, after },
  })
}

/** An empty reason lifts the hold, which takes somebody other than the person who set it. */
export async function setLegalHold(team: Team, actor: Person, text: string): Promise<Retention> {
  const reason = toNote('reason', text)
  return team.store.write(async tx => {
    await oneAtATime(tx)
    await mustStillBe(tx, actor)
    const { hold } = await retentionIn(tx)
    if (reason === '' && !hold) throw new Refusal('not-now', 'There is no legal hold.')
    if (hold && hold.userId === actor.userId)
      throw new Refusal('forbidden', 'You set the legal hold. Another admin must change or lift it.')
    const next: Hold | null =
      reason === '' ? null : { reason, userId: actor.userId, by: actor.name, at: team.now() }
    await tx
      .updateTable('team')
      .set({ legal_hold: JSON.stringify(next) })
      .execute()
    await append(tx, actor, team.now(), {
      action: next ? 'records.hold' : 'records.lift-hold',
      subject: `team ${team.id}`,
      detail: { reason: reason || hold!.reason },
    })
    return retentionIn(tx)
  })
}

/** By one process at a time, as it ends what one that is no more has begun. */
export async function prepareRecords(team: Team): Promise<void> {
  await team.store.alone('retention', () => team.records.prepare(team.now()))
}

/** Piece by piece, with room in between for those who write. */
export async function pruneRecords(team: Team, isStopped: () => boolean = () => false): Promise<void> {
  await team.store.alone('retention', async lost => {
    await team.store.write(async tx => {
      await oneAtATime(tx)
      const { recordDays: before, shortening } = await retentionIn(tx)
      if (!shortening || shortening.dueAt === null || shortening.dueAt > team.now()) return
      await apply(team, tx, 'server', { before, after: shortening.days })
    })
    const isHeld = async () => (await retentionIn(team.store.db)).hold !== null
    while (!isStopped() && !lost.aborted && !(await isHeld()) && (await team.records.prune(team.now()))) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  })
}
