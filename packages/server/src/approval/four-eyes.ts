// Four-eyes: a second admin confirms a change by making the same one within a day. Until then it is only a request.
//
// The change is carried out in a transaction that is rolled back if a confirmation is missing, so a request that could not
// be carried out is rejected at once, and no change needs a check of its own.

import { type ActionKind, sha256 } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append, mustStillBe } from '../audit/chain.js'
import { DAY_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import { isAtLeast, type Role } from '../roles.js'
import {
  deleteRequest,
  findRequest,
  hasFourEyes,
  putRequest,
  requestsSince,
  vouchesSince,
} from '../store/approvals.js'
import { membershipOf } from '../store/members.js'
import type { Db, Tx } from '../store/open.js'
import type { ChangeRequestRow } from '../store/schema.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'

export interface Change {
  /** The method that a second person has to call, as Service/Method. */
  readonly method: string
  readonly subject: string
  /** What both requests must have in common. Reasons and notes are not part of it. */
  readonly wish: object
  /** The complete request of that method, as JSON: a page makes the same change with it. */
  readonly call: object
  /** Everyone who prepared it counts as a first person; null if an author is not known. */
  readonly authors?: ReadonlySet<string | null>
  /** Needs a second person whatever the settings say. */
  readonly isAlways?: boolean
}

/** Makes the change, or records the request for it and throws. `by`: the user who requested it first. */
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
      const needsSecond = change.isAlways || (await hasFourEyes(tx))
      const first = needsSecond ? await findRequest(tx, row.id, dayBefore(team)) : undefined
      const made = await make(tx, first ? { requested_by: first.by } : {})
      if (!needsSecond) return made
      await mustStillBe(tx, actor)
      if (first && first.user_id !== actor.userId) await mustBeIndependent(team, tx, first, actor)
      else if (!(await arePreparedByOthers(team, tx, actor, change))) throw new Unconfirmed(change)
      await deleteRequest(tx, row.id)
      return made
    })
  } catch (error) {
    if (error instanceof Unconfirmed) await recordRequest(team, actor, row)
    throw error
  }
}

class Unconfirmed extends RequestError {
  constructor({ subject }: Change) {
    super(
      'not-now',
      `Recorded: this change of ${subject} needs a second admin, who confirms it by making the same change within a day.`,
    )
  }
}

const dayBefore = ({ now }: Team): number => now() - DAY_MS

export interface OpenRequest extends ChangeRequestRow {
  readonly expiresAt: number
  /** Empty if the viewer can confirm it. */
  readonly whyNot: string
}

/** The first person's requests, in the order of their age, as the viewer may decide them. */
export async function openRequests(team: Team, viewer: Person): Promise<OpenRequest[]> {
  const rows = await requestsSince(team.store.db, dayBefore(team))
  return Promise.all(
    rows.map(async row => ({
      ...row,
      expiresAt: row.at + DAY_MS,
      whyNot: await whyNotConfirm(team, row, viewer),
    })),
  )
}

async function whyNotConfirm(team: Team, row: ChangeRequestRow, viewer: Person): Promise<string> {
  if (!isAtLeast(viewer.role, 'admin')) return 'Only admins confirm changes.'
  if (row.user_id === viewer.userId) return 'You requested this. Another admin must confirm it.'
  return (await areIndependent(team, team.store.db, row.user_id, viewer.userId, 'admin', row.at))
    ? ''
    : NOT_INDEPENDENT
}

/** Removes a request. The first admin may withdraw it, too. */
export async function refuseRequest(team: Team, actor: Person, id: string): Promise<void> {
  await team.store.write(async tx => {
    await oneAtATime(tx)
    const row = await findRequest(tx, id, dayBefore(team))
    if (!row) throw new RequestError('missing', 'This request was decided, or it has expired.')
    await deleteRequest(tx, id)
    await append(tx, actor, team.now(), {
      action: 'change.refuse',
      subject: row.subject,
      detail: { method: row.method, wish: JSON.parse(row.wish), requested_by: row.by },
    })
  })
  team.hub.changed('releases')
}

const requestOf = (
  { now }: Team,
  actor: Person,
  { method, subject, wish, call }: Change,
): ChangeRequestRow => ({
  id: sha256(Buffer.from(JSON.stringify([method, subject, wish]))),
  method,
  subject,
  wish: JSON.stringify(wish),
  call: JSON.stringify(call),
  user_id: actor.userId,
  by: actor.name,
  at: now(),
})

async function recordRequest(team: Team, actor: Person, row: ChangeRequestRow): Promise<void> {
  const action: ActionKind = 'change.request'
  await team.store.write(async tx => {
    await oneAtATime(tx)
    await putRequest(tx, row, dayBefore(team))
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

const NOT_INDEPENDENT =
  'The two of you are not independent: one was invited or promoted by the other less than 24 hours ago, joined after the request, or is no longer an admin. Another admin must make this change, too.'

async function mustBeIndependent(team: Team, tx: Tx, first: ChangeRequestRow, actor: Person): Promise<void> {
  if (await areIndependent(team, tx, first.user_id, actor.userId, 'admin', first.at)) return
  throw new RequestError('forbidden', NOT_INDEPENDENT)
}

/**
 * The first user still has the role, the second was a member when the first asked, and nobody vouched for both in the
 * last 24 hours, by inviting or promoting them, directly or through others, removed members included. An admin who
 * creates a second account has to wait a day, in which the other admins see it.
 */
async function areIndependent(
  team: Team,
  db: Db | Tx,
  first: string,
  second: string,
  least: Role,
  askedAt = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const [one, other] = [await membershipOf(db, first), await membershipOf(db, second)]
  if (!one || !other || !isAtLeast(one.role, least) || other.joined_at > askedAt) return false
  const vouches = await vouchesSince(db, dayBefore(team))
  const withVouchers = (id: string): Set<string> => {
    const ids = new Set([id])
    for (const each of ids) for (const { by, whom } of vouches) if (whom === each) ids.add(by)
    return ids
  }
  const seconds = withVouchers(second)
  return ![...withVouchers(first)].some(id => seconds.has(id))
}
