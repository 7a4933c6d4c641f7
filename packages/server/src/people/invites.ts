// Links that add a member, once. The only other way to become a member is an invited or allowed address that signs in
// by OIDC (admit.ts).

import type { Person } from '../access/actor.js'
import { fits, mint, read } from '../access/token.js'
import { append } from '../audit/chain.js'
import { HOUR_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import { isAtLeast, mustRank, type Role, toRole } from '../roles.js'
import { hasFourEyes } from '../store/approvals.js'
import {
  addressLink,
  deleteInvite,
  deleteInvitesFor,
  deleteOwnerLinksBut,
  findInvite,
  insertInvite,
  markUsed,
} from '../store/invites.js'
import { countTeamOwners, isMember } from '../store/members.js'
import type { Db, Tx } from '../store/open.js'
import type { InviteRow } from '../store/schema.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'
import { toEmail } from './words.js'

/** No address of a member. */
const BY_OPERATOR = 'server'
const OWNER_HOURS = 24
const INVITE_HOURS = 72

export interface Link {
  readonly link: string
  readonly expiresAt: number
}

/** For the operator, until there is an owner; null if there is one. */
export async function firstOwnerLink(team: Team): Promise<Link | null> {
  return (await countTeamOwners(team.store.db)) > 0 ? null : ownerLink(team)
}

/** Restores access for the operator of the machine if no owner can sign in. */
export async function ownerLink(team: Team): Promise<Link> {
  return team.store.write(async tx => {
    const made = await make(team, tx, { email: '', role: 'owner', by: BY_OPERATOR, hours: OWNER_HOURS })
    await append(tx, 'server', team.now(), { action: 'member.owner-link', subject: made.id })
    return made
  })
}

export async function invite(team: Team, actor: Person, address: string, text: string): Promise<Link> {
  const email = toEmail(address)
  const role = toRole(text)
  mustRank(actor.role, role)
  const made = await team.store.write(async tx => {
    await oneAtATime(tx)
    if (await isMember(tx, email)) throw new RequestError('exists', `${email} is a member already.`)
    if (isAtLeast(role, 'author') && (await hasFourEyes(tx)))
      throw new RequestError(
        'not-now',
        `With four-eyes on, one admin can invite only auditors. Invite ${email} as an auditor; two admins then change the role.`,
      )
    // The newest link is valid, so that a lost one can be replaced.
    await deleteInvitesFor(tx, email)
    const link = await make(team, tx, { email, role, by: actor.name, hours: INVITE_HOURS })
    await append(tx, actor, team.now(), { action: 'member.invite', subject: email, detail: { role } })
    return link
  })
  team.hub.changed('people')
  return made
}

async function make(
  team: Team,
  tx: Tx,
  { email, role, by, hours }: { email: string; role: Role; by: string; hours: number },
): Promise<Link & { id: string }> {
  const { id, hash, text } = mint('hfi')
  const created = team.now()
  const expiresAt = created + hours * HOUR_MS
  await insertInvite(tx, {
    id,
    secret_hash: hash,
    email,
    role,
    invited_by: by,
    created_at: created,
    expires_at: expiresAt,
    used_at: null,
  })
  return { id, link: `${team.url}/join/${text.reveal()}`, expiresAt }
}

/** The content of a link; a message for one that is no longer valid. */
export async function openInvite(team: Team, text: string, db: Db | Tx = team.store.db): Promise<InviteRow> {
  const shown = read(text)
  const row = shown?.prefix === 'hfi' ? await findInvite(db, shown.id) : undefined
  if (!row || !fits(shown!.secret, row.secret_hash)) {
    throw new RequestError(
      'missing',
      'This link is not valid, or a newer one replaced it. Ask for a new one.',
    )
  }
  if (row.used_at !== null) throw new RequestError('not-now', 'This link was used already. Sign in instead.')
  if (row.expires_at <= team.now())
    throw new RequestError('not-now', 'This link has expired. Ask for a new one.')
  return row
}

/** The first owner, if only an issuer signs users in: the link becomes an invitation of one address. */
export async function addressInvite(team: Team, { id }: InviteRow, address: string): Promise<void> {
  const email = toEmail(address)
  await team.store.write(async tx => {
    await oneAtATime(tx)
    await addressLink(tx, id, email)
  })
}

/** The role that it gives now: one admin must not have prepared a second person before four-eyes was switched on. */
export const roleOf = async (tx: Tx, { role, invited_by }: InviteRow): Promise<Role> =>
  invited_by !== BY_OPERATOR && (await hasFourEyes(tx)) ? 'auditor' : role

/** Marks it used; of two concurrent callers one gets an error. */
export async function useInvite(team: Team, tx: Tx, { id, email }: InviteRow): Promise<void> {
  if (!(await markUsed(tx, id, team.now())))
    throw new RequestError('not-now', 'This link was used already. Sign in instead.')
  // Every start without an owner prints a link; none of them may create a second owner later.
  if (email === '') await deleteOwnerLinksBut(tx, id)
}

export async function withdraw(team: Team, actor: Person, id: string): Promise<void> {
  await team.store.write(async tx => {
    const row = await deleteInvite(tx, id)
    if (!row) throw new RequestError('missing', 'There is no such invitation.')
    mustRank(actor.role, row.role)
    await append(tx, actor, team.now(), { action: 'member.uninvite', subject: row.email })
  })
  team.hub.changed('people')
}
