// The members of the team and their roles. There is always an owner: the last one can neither leave nor step down.

import type { Person } from '../access/actor.js'
import { isAtLeast, METHODS, ROLES, type Role } from '../access/methods.js'
import { append, mustStillBe } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import { addVouch } from '../store/approvals.js'
import type { Db, Tx } from '../store/open.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { endKeysOf } from './enrolment-keys.js'
import { mustRank, toRole } from './roles.js'

export interface MemberRecord {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly joinedAt: number
  readonly lastSeenAt: number
  readonly signsInBy: 'password' | 'oidc'
}

export async function memberRole(db: Db | Tx, userId: string): Promise<Role | null> {
  const row = await db.selectFrom('members').select('role').where('user_id', '=', userId).executeTakeFirst()
  return (row?.role as Role | undefined) ?? null
}

export interface Standing {
  readonly role: Role
  readonly hasPassword: boolean
  /** Codes of an authenticator app are on. */
  readonly hasCodes: boolean
  readonly passkeys: number
}

export async function standingOf(db: Db | Tx, userId: string): Promise<Standing | null> {
  const row = await membersQuery(db)
    .select('user.twoFactorEnabled')
    .select(({ selectFrom }) =>
      selectFrom('passkey')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('passkey.userId', '=', 'members.user_id')
        .as('passkeys'),
    )
    .where('members.user_id', '=', userId)
    .executeTakeFirst()
  return row
    ? {
        role: row.role as Role,
        hasPassword: Boolean(row.has_password),
        hasCodes: Boolean(row.twoFactorEnabled),
        passkeys: Number(row.passkeys),
      }
    : null
}

/** Issuers ask for a factor of their own, so it counts only for members with a password. */
export const lacksSecondFactor = ({ role, hasPassword, hasCodes, passkeys }: Standing): boolean =>
  hasPassword && !hasCodes && passkeys <= 0 && isAtLeast(role, 'admin')

export async function isMember(db: Db | Tx, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('user')
    .innerJoin('members', 'members.user_id', 'user.id')
    .select('user.id')
    .where('user.email', '=', email)
    .executeTakeFirst()
  return row !== undefined
}

export const hasOwner = async (db: Db | Tx): Promise<boolean> => (await owners(db)) > 0

async function owners(db: Db | Tx): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function findMember(db: Db | Tx, userId: string): Promise<MemberRecord> {
  const [row] = await membersQuery(db).where('members.user_id', '=', userId).execute()
  if (row) return toRecord(row)
  throw new RequestError('missing', 'There is no member with this id.')
}

/** Sorted by email; after the given one. */
export async function listMembers(db: Db, size: number, after: string): Promise<MemberRecord[]> {
  const rows = await membersQuery(db)
    .where('user.email', '>', after)
    .orderBy('user.email')
    .limit(size)
    .execute()
  return rows.map(toRecord)
}

export async function setRole(
  team: Team,
  actor: Person,
  userId: string,
  text: string,
): Promise<{ member: MemberRecord; keysEnded: number }> {
  const role = toRole(text)
  const changed = await team.store.write(async tx => {
    await oneAtATime(tx)
    await mustStillBe(tx, actor)
    const before = await findMember(tx, userId)
    mustRank(actor.role, before.role)
    mustRank(actor.role, role)
    if (before.role === 'owner' && role !== 'owner') await mustNotBeLast(tx)
    await tx.updateTable('members').set({ role }).where('user_id', '=', userId).execute()
    // Under four-eyes this member cannot confirm requests of the promoter for a day.
    if (isAtLeast(role, before.role) && role !== before.role)
      await addVouch(tx, { by: actor.userId, whom: userId, at: team.now() })
    await takeBackInvites(tx, before.email, role)
    const keys = mayStill(role, 'DevicesService/CreateEnrolmentKey')
      ? []
      : await endKeysOf(team, tx, before.email)
    const detail = { from: before.role, to: role, ...keysIn(keys) }
    await append(tx, actor, team.now(), { action: 'member.role', subject: before.email, detail }, true)
    return { member: { ...before, role }, keysEnded: keys.length }
  })
  team.hub.changed('people')
  if (changed.keysEnded > 0) team.hub.changed('devices')
  return changed
}

/**
 * Devices that the user enrolled stay: they belong to the team, and each can be revoked. Enrolment keys of the user are
 * revoked, because others may have copies.
 */
export async function removeMember(
  team: Team,
  actor: Person,
  userId: string,
): Promise<{ keysEnded: number }> {
  const keysEnded = await team.store.write(async tx => {
    await oneAtATime(tx)
    await mustStillBe(tx, actor)
    const member = await findMember(tx, userId)
    mustRank(actor.role, member.role)
    if (member.role === 'owner') await mustNotBeLast(tx)
    await tx
      .updateTable('tokens')
      .set({ revoked_at: team.now() })
      .where('kind', '=', 'person')
      .where('owner', '=', userId)
      .where('revoked_at', 'is', null)
      .execute()
    await tx.deleteFrom('deviceCode').where('userId', '=', userId).execute()
    await takeBackInvites(tx, member.email, null)
    const keys = await endKeysOf(team, tx, member.email)
    await banFromDomain(tx, member, { at: team.now(), by: actor.name })
    // Also deletes the sessions, the password and the membership.
    await tx.deleteFrom('user').where('id', '=', userId).execute()
    const detail = { role: member.role, ...keysIn(keys) }
    await append(tx, actor, team.now(), { action: 'member.remove', subject: member.email, detail }, true)
    return keys.length
  })
  team.hub.changed('people')
  if (keysEnded > 0) team.hub.changed('devices')
  return { keysEnded }
}

/**
 * Neither an allowed domain nor an earlier invitation admits a removed member again; an admin must invite them again.
 * The subject counts as well as the address, because a user may get another address at the issuer.
 */
async function banFromDomain(
  tx: Tx,
  { userId, email }: MemberRecord,
  { at, by }: { at: number; by: string },
): Promise<void> {
  await tx.deleteFrom('invites').where('email', '=', email).where('used_at', 'is', null).execute()
  const accounts = await tx
    .selectFrom('account')
    .select('accountId')
    .where('userId', '=', userId)
    .where('providerId', '=', 'oidc')
    .execute()
  const names = [addressKey(email), ...accounts.map(({ accountId }) => subjectKey(accountId))]
  await tx
    .insertInto('removed_members')
    .values(names.map(name => ({ name, at, by })))
    .onConflict(conflict => conflict.column('name').doUpdateSet({ at, by }))
    .execute()
}

const addressKey = (email: string): string => `email ${email}`
const subjectKey = (subject: string): string => `subject ${subject}`

export async function wasRemoved(db: Db | Tx, who: { email: string; subject: string }): Promise<boolean> {
  const row = await db
    .selectFrom('removed_members')
    .select('name')
    .where('name', 'in', [addressKey(who.email), subjectKey(who.subject)])
    .executeTakeFirst()
  return row !== undefined
}

/** A new invitation was accepted. */
export async function liftBan(tx: Tx, who: { userId: string; email: string }): Promise<void> {
  const accounts = await tx
    .selectFrom('account')
    .select('accountId')
    .where('userId', '=', who.userId)
    .execute()
  const names = [addressKey(who.email), ...accounts.map(({ accountId }) => subjectKey(accountId))]
  await tx.deleteFrom('removed_members').where('name', 'in', names).execute()
}

const MOST_NAMED = 50

/** The revoked keys in the audit log: some by name, and their number. */
const keysIn = (ids: readonly string[]) =>
  ids.length === 0 ? {} : { enrolment_keys: ids.length, ended: [...ids].sort().slice(0, MOST_NAMED) }

const mayStill = (role: Role | null, method: string): role is Role =>
  role !== null && isAtLeast(role, METHODS[method] as Role)

/** Earlier invitations and keys of a removed member must not readmit them, or admit others. */
async function takeBackInvites(tx: Tx, email: string, role: Role | null): Promise<void> {
  const above = ROLES.filter(one => !mayStill(role, 'PeopleService/InviteMember') || !isAtLeast(role, one))
  if (above.length === 0) return
  await tx
    .deleteFrom('invites')
    .where('invited_by', '=', email)
    .where('used_at', 'is', null)
    .where('role', 'in', above)
    .execute()
}

async function mustNotBeLast(tx: Tx): Promise<void> {
  if ((await owners(tx)) > 1) return
  throw new RequestError('not-now', 'This is the last owner. Make somebody else an owner first.')
}

const membersQuery = (db: Db | Tx) =>
  db
    .selectFrom('members')
    .innerJoin('user', 'user.id', 'members.user_id')
    .select(['members.user_id', 'members.role', 'members.joined_at', 'members.last_seen_at'])
    .select(['user.name', 'user.email'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('account')
          .select('account.id')
          .whereRef('account.userId', '=', 'members.user_id')
          .where('account.providerId', '=', 'credential'),
      ).as('has_password'),
    )

interface MemberRow {
  user_id: string
  role: string
  joined_at: number
  last_seen_at: number
  name: string
  email: string
  has_password: unknown
}

const toRecord = (row: MemberRow): MemberRecord => ({
  userId: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role as Role,
  joinedAt: row.joined_at,
  lastSeenAt: row.last_seen_at,
  signsInBy: row.has_password ? 'password' : 'oidc',
})
