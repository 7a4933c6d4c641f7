// The members of the team, their accounts at the sign-in library, and members who were removed.

import { sql } from 'kysely'
import type { Role } from '../roles.js'
import type { Db, Tx } from './open.js'
import type { MemberRow } from './schema.js'

export interface MemberRecord {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly joinedAt: number
  readonly lastSeenAt: number
  readonly signsInBy: 'password' | 'oidc'
}

const members = (db: Db | Tx) =>
  db
    .selectFrom('members')
    .innerJoin('user', 'user.id', 'members.user_id')
    .select(['members.user_id as userId', 'user.name', 'user.email', 'members.role'])
    .select(['members.joined_at as joinedAt', 'members.last_seen_at as lastSeenAt'])
    .select(({ exists, selectFrom }) =>
      sql<MemberRecord['signsInBy']>`case when ${exists(
        selectFrom('account')
          .select('account.id')
          .whereRef('account.userId', '=', 'members.user_id')
          .where('account.providerId', '=', 'credential'),
      )} then 'password' else 'oidc' end`.as('signsInBy'),
    )

export const findMember = (db: Db | Tx, userId: string): Promise<MemberRecord | undefined> =>
  members(db).where('members.user_id', '=', userId).executeTakeFirst()

/** Sorted by email; after the given one. */
export const listMembers = (db: Db, size: number, after: string): Promise<MemberRecord[]> =>
  members(db).where('user.email', '>', after).orderBy('user.email').limit(size).execute()

export const membershipOf = (db: Db | Tx, userId: string) =>
  db.selectFrom('members').select(['role', 'joined_at']).where('user_id', '=', userId).executeTakeFirst()

export interface Standing {
  readonly role: Role
  readonly hasPassword: boolean
  /** Codes of an authenticator app are on. */
  readonly hasCodes: boolean
  readonly passkeys: number
}

export async function standingOf(db: Db | Tx, userId: string): Promise<Standing | null> {
  const row = await members(db)
    .select('user.twoFactorEnabled')
    .select(({ selectFrom }) =>
      selectFrom('passkey')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('passkey.userId', '=', 'members.user_id')
        .as('passkeys'),
    )
    .where('members.user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return null
  const { role, signsInBy, twoFactorEnabled, passkeys } = row
  const [hasPassword, hasCodes] = [signsInBy === 'password', Boolean(twoFactorEnabled)]
  return { role, hasPassword, hasCodes, passkeys: Number(passkeys) }
}

export async function isMember(db: Db | Tx, email: string): Promise<boolean> {
  const user = await findUser(db, 'email', email)
  return user !== undefined && (await membershipOf(db, user.id)) !== undefined
}

export async function countTeamOwners(db: Db | Tx): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .select(sql<number>`count(*)`.as('count'))
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return count
}

export const insertMember = (tx: Tx, row: MemberRow) => tx.insertInto('members').values(row).execute()

export const updateRole = (tx: Tx, userId: string, role: Role) =>
  tx.updateTable('members').set({ role }).where('user_id', '=', userId).execute()

export const findUser = (db: Db | Tx, by: 'id' | 'email', value: string) =>
  db.selectFrom('user').select(['id', 'email', 'name']).where(by, '=', value).executeTakeFirst()

/** Also deletes the sessions, the password, the issuer's accounts and the membership. */
export const deleteUser = (tx: Tx, by: 'id' | 'email', value: string) =>
  tx.deleteFrom('user').where(by, '=', value).execute()

/** The subjects at the issuer of members who have this address or this subject. */
export async function subjectsOf(
  db: Db,
  { email, subject }: { email: string; subject: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('user', 'user.id', 'members.user_id')
    .innerJoin('account', 'account.userId', 'members.user_id')
    .select('account.accountId')
    .where('account.providerId', '=', 'oidc')
    .where(({ or, eb }) => or([eb('user.email', '=', email), eb('account.accountId', '=', subject)]))
    .execute()
  return rows.map(({ accountId }) => accountId)
}

/** How a removed member is known: by the address, and by the subjects at the issuer. */
async function namesOf(tx: Tx, { userId, email }: { userId: string; email: string }): Promise<string[]> {
  const accounts = await tx
    .selectFrom('account')
    .select('accountId')
    .where('userId', '=', userId)
    .where('providerId', '=', 'oidc')
    .execute()
  return [addressKey(email), ...accounts.map(({ accountId }) => subjectKey(accountId))]
}

const addressKey = (email: string): string => `email ${email}`
const subjectKey = (subject: string): string => `subject ${subject}`

export async function insertBan(
  tx: Tx,
  who: { userId: string; email: string },
  { at, by }: { at: number; by: string },
): Promise<void> {
  const names = await namesOf(tx, who)
  await tx
    .insertInto('removed_members')
    .values(names.map(name => ({ name, at, by })))
    .onConflict(conflict => conflict.column('name').doUpdateSet({ at, by }))
    .execute()
}

export async function deleteBan(tx: Tx, who: { userId: string; email: string }): Promise<void> {
  const names = await namesOf(tx, who)
  await tx.deleteFrom('removed_members').where('name', 'in', names).execute()
}

export async function isBanned(db: Db | Tx, who: { email: string; subject: string }): Promise<boolean> {
  const row = await db
    .selectFrom('removed_members')
    .select('name')
    .where('name', 'in', [addressKey(who.email), subjectKey(who.subject)])
    .executeTakeFirst()
  return row !== undefined
}
