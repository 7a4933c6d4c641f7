// The members of the team and their roles. There is always an owner: the last one can neither leave nor step down.

import type { Person } from '../access/actor.js'
import { METHODS } from '../access/methods.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { append, mustStillBe } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import { isAtLeast, mustRank, ROLES, type Role, toRole } from '../roles.js'
import { addVouch } from '../store/approvals.js'
import { deleteInvitesBy, deleteInvitesFor } from '../store/invites.js'
import {
  countTeamOwners,
  deleteUser,
  findMember,
  findUser,
  insertBan,
  type MemberRecord,
  type Standing,
  updateRole,
} from '../store/members.js'
import type { Db, Tx } from '../store/open.js'
import { deleteCodesOf } from '../store/sign-in.js'
import { oneAtATime } from '../store/team.js'
import { revokeTokensOf } from '../store/tokens.js'
import type { Team } from '../team.js'
import { endKeysOf } from './enrolment-keys.js'

/** Issuers ask for a factor of their own, so it counts only for members with a password. */
export const lacksSecondFactor = ({ role, hasPassword, hasCodes, passkeys }: Standing): boolean =>
  hasPassword && !hasCodes && passkeys <= 0 && isAtLeast(role, 'admin')

export async function memberOf(db: Db | Tx, userId: string): Promise<MemberRecord> {
  const member = await findMember(db, userId)
  if (member) return member
  throw new RequestError('missing', 'There is no member with this id.')
}

export async function setRole(
  team: Team,
  actor: Person,
  userId: string,
  text: string,
): Promise<{ member: MemberRecord; keysEnded: number }> {
  const role = toRole(text)
  const make = async (tx: Tx, by: { requested_by?: string } = {}) => {
    await mustStillBe(tx, actor)
    const before = await memberOf(tx, userId)
    mustRank(actor.role, before.role)
    mustRank(actor.role, role)
    if (before.role === 'owner' && role !== 'owner') await mustNotBeLast(tx)
    await updateRole(tx, userId, role)
    const keys = mayStill(role, 'DevicesService/CreateEnrolmentKey')
      ? []
      : await endKeysOf(team, tx, before.email)
    await takeBackInvites(tx, before.email, role)
    // Under four-eyes this member cannot confirm requests of those who promoted them for a day.
    const first = by.requested_by === undefined ? undefined : await findUser(tx, 'email', by.requested_by)
    if (isPromotion(before.role))
      for (const promoter of [actor.userId, ...(first ? [first.id] : [])])
        await addVouch(tx, { by: promoter, whom: userId, at: team.now() })
    const detail = { from: before.role, to: role, ...keysIn(keys), ...by }
    await append(tx, actor, team.now(), { action: 'member.role', subject: before.email, detail }, true)
    return { member: { ...before, role }, keysEnded: keys.length }
  }
  const isPromotion = (from: Role) => isAtLeast(role, from) && role !== from
  const { email, role: from } = await memberOf(team.store.db, userId)
  const change = {
    method: 'PeopleService/SetMemberRole',
    subject: `member ${email}`,
    wish: { userId, role },
    call: { userId, role },
  }
  // Otherwise one admin could prepare the second person of a later change.
  const changed = isPromotion(from)
    ? await withSecondPerson(team, actor, change, make)
    : await team.store.write(async tx => {
        await oneAtATime(tx)
        if (isPromotion((await memberOf(tx, userId)).role))
          throw new RequestError('stale', 'The role was changed meanwhile. Reload the page.')
        return make(tx)
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
    const member = await memberOf(tx, userId)
    mustRank(actor.role, member.role)
    if (member.role === 'owner') await mustNotBeLast(tx)
    await revokeTokensOf(tx, 'person', userId, team.now())
    await deleteCodesOf(tx, userId)
    await takeBackInvites(tx, member.email, null)
    const keys = await endKeysOf(team, tx, member.email)
    // Neither an allowed domain nor an earlier invitation admits the member again. The subject counts as well as the
    // address, because a user may get another address at the issuer.
    await deleteInvitesFor(tx, member.email)
    await insertBan(tx, member, { at: team.now(), by: actor.name })
    await deleteUser(tx, 'id', userId)
    const detail = { role: member.role, ...keysIn(keys) }
    await append(tx, actor, team.now(), { action: 'member.remove', subject: member.email, detail }, true)
    return keys.length
  })
  team.hub.changed('people')
  if (keysEnded > 0) team.hub.changed('devices')
  return { keysEnded }
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
  if (above.length > 0) await deleteInvitesBy(tx, email, above)
}

async function mustNotBeLast(tx: Tx): Promise<void> {
  if ((await countTeamOwners(tx)) > 1) return
  throw new RequestError('not-now', 'This is the last owner. Make somebody else an owner first.')
}
