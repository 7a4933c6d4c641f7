// Four-eyes: a second admin confirms a change by making the same one within a day. Until then it is only a request.
//
// The change is carried out in a transaction that is rolled back if a confirmation is missing, so a request that could not
// be carried out is rejected at once, and no change needs a check of its own.

import { type ActionKind, sha256 } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { isAtLeast, type Role } from '../access/methods.js'
import { append } from '../audit/chain.js'
import { Refusal } from '../refusal.js'
import type { Db, Tx } from '../store/open.js'
import type { ChangeRequestRow } from '../store/schema.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { settingsIn } from './settings.js'

const DAY_MS = 86_400_000

export interface Change {
  /** The method that a second person has to call, as Service/Method. */
  readonly method: string
  readonly subject: string
  /** What both must ask for. Reasons and notes are not part of it. */
  readonly wish: object
  /** Those who prepared all of it, each of whom counts as a first person; null where somebody is not known. */
  readonly authors?: ReadonlySet<string | null>
}

/** Makes the change, or records the request for it and throws. `by`: who asked for it first. */
export async function withSecondPerson<T>(
  team: Team,
  actor: Person,
  change: Change,
  make: (tx: Tx, by: { requested_by?: string }) => Promise<T>,
): Promise<T> {
  const row = requestOf(team, actor, change)
  try {
    return await team.store.write(async tx => {
      await oneAtATime(tx)
      const { fourEyes } = await settingsIn(tx)
      const first = fourEyes ? await requestIn(team, tx, row.id) : undefined
      const made = await make(tx, first ? { requested_by: first.by } : {})
      if (!fourEyes) return made
      if (first && first.user_id !== actor.userId) {
        if (!(await areIndependent(team, tx, first.user_id, actor.userId, 'admin')))
          throw new Refusal(
            'forbidden',
            'The two of you are not independent: one was invited or promoted by the other less than 24 hours ago, or is no longer an admin. Somebody else must make this change, too.',
          )
      } else if (!(await arePreparedByOthers(team, tx, actor, change))) throw new Unconfirmed(change)
      await tx.deleteFrom('change_requests').where('id', '=', row.id).execute()
      return made
    })
  } catch (error) {
    if (error instanceof Unconfirmed) await recordRequest(team, actor, row)
    throw error
  }
}

class Unconfirmed extends Refusal {
  constructor({ subject }: Change) {
    super(
      'not-now',
      `Recorded: this change of ${subject} needs a second admin, who confirms it by making the same change within a day.`,
    )
  }
}

/** The first person's requests, in the order of their age. */
export const requestsIn = ({ store, now }: Team): Promise<ChangeRequestRow[]> =>
  store.db
    .selectFrom('change_requests')
    .selectAll()
    .where('at', '>', now() - DAY_MS)
    .orderBy('at')
    .execute()

export const requestEnds = ({ at }: ChangeRequestRow): number => at + DAY_MS

const requestOf = ({ now }: Team, actor: Person, { method, subject, wish }: Change): ChangeRequestRow => ({
  id: sha256(Buffer.from(JSON.stringify([method, subject, wish]))),
  method,
  subject,
  wish: JSON.stringify(wish),
  user_id: actor.userId,
  by: actor.name,
  at: now(),
})

const requestIn = ({ now }: Team, db: Db | Tx, id: string): Promise<ChangeRequestRow | undefined> =>
  db
    .selectFrom('change_requests')
    .selectAll()
    .where('id', '=', id)
    .where('at', '>', now() - DAY_MS)
    .executeTakeFirst()

async function recordRequest(team: Team, actor: Person, row: ChangeRequestRow): Promise<void> {
  const action: ActionKind = 'change.request'
  await team.store.write(async tx => {
    await oneAtATime(tx)
    // One request of each person for a subject: a repeated or corrected one replaces the one before.
    await tx
      .deleteFrom('change_requests')
      .where(({ eb, or, and }) =>
        or([
          eb('at', '<=', team.now() - DAY_MS),
          eb('id', '=', row.id),
          and([
            eb('method', '=', row.method),
            eb('subject', '=', row.subject),
            eb('user_id', '=', row.user_id),
          ]),
        ]),
      )
      .execute()
    await tx.insertInto('change_requests').values(row).execute()
    const detail = { method: row.method, wish: JSON.parse(row.wish) }
    await append(tx, actor, team.now(), { action, subject: row.subject, detail })
  })
  team.hub.changed('releases')
}

async function arePreparedByOthers(team: Team, tx: Tx, actor: Person, { authors }: Change): Promise<boolean> {
  if (!authors || authors.size === 0) return false
  for (const author of authors) {
    if (author === null || author === actor.userId) return false
    if (!(await areIndependent(team, tx, author, actor.userId, 'author'))) return false
  }
  return true
}

/**
 * The first still has the role, and neither was invited or promoted by the other in the last 24 hours: an admin who makes a second account
 * has to wait a day, in which the other admins see it. What a newcomer did counts as done by whoever invited that newcomer.
 */
async function areIndependent(
  { now }: Team,
  db: Db | Tx,
  one: string,
  other: string,
  least: Role,
): Promise<boolean> {
  const rows = await db
    .selectFrom('members')
    .select(['user_id', 'role', 'vouched_at', 'vouched_by'])
    .execute()
  const members = new Map(rows.map(row => [row.user_id, row]))
  const voucherOf = (id: string): string => {
    const member = members.get(id)
    return member && member.vouched_at > now() - DAY_MS ? member.vouched_by : ''
  }
  const withVouchers = (start: string): Set<string> => {
    const ids = new Set<string>()
    for (let id = start; id !== '' && !ids.has(id); id = voucherOf(id)) ids.add(id)
    return ids
  }
  const [ones, others] = [withVouchers(one), withVouchers(other)]
  const role = members.get(one)?.role as Role | undefined
  return role !== undefined && isAtLeast(role, least) && ![...ones].some(id => others.has(id))
}
