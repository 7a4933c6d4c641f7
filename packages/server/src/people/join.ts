// The holder of a link becomes a member with a name and a password.

import { append } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import type { Role } from '../roles.js'
import { addVouch } from '../store/approvals.js'
import { deleteBan, deleteUser, findUser, insertMember, isMember } from '../store/members.js'
import type { Tx } from '../store/open.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'
import type { Auth } from './auth.js'
import { openInvite, roleOf, useInvite } from './invites.js'
import { toEmail, toLine, toPassword } from './words.js'

export interface Newcomer {
  readonly link: string
  readonly name: string
  /** Only for the first owner: others are invited by their address. */
  readonly email: string
  readonly password: string
  readonly address: string
}

/** The email address for signing in. */
export async function join(team: Team, auth: Auth, newcomer: Newcomer): Promise<string> {
  const invited = await openInvite(team, newcomer.link)
  const name = toLine('The name', newcomer.name)
  const email = invited.email === '' ? toEmail(newcomer.email) : invited.email
  const hash = await auth.hash(toPassword(newcomer.password, email))
  await team.store.write(async tx => {
    await oneAtATime(tx)
    const invite = await openInvite(team, newcomer.link, tx)
    await useInvite(team, tx, invite)
    if (await isMember(tx, email)) {
      throw new RequestError('exists', `${email} is a member already. Sign in instead.`)
    }
    // Possible leftovers of an interrupted sign-in by OIDC.
    await deleteUser(tx, 'email', email)
    const userId = await auth.addUser(tx, { name, email, hash })
    await enter(team, tx, {
      userId,
      email,
      role: await roleOf(tx, invite),
      by: invite.invited_by,
      way: 'link',
      address: newcomer.address,
    })
  })
  team.hub.changed('people')
  return email
}

export interface Entry {
  readonly userId: string
  readonly email: string
  readonly role: Role
  readonly by: string
  readonly way: 'link' | 'oidc'
  readonly address: string
}

export async function enter(team: Team, tx: Tx, entry: Entry): Promise<void> {
  const { userId, email, role, by, way, address } = entry
  const at = team.now()
  await deleteBan(tx, entry)
  const inviter = await findUser(tx, 'email', by)
  await insertMember(tx, { user_id: userId, role, joined_at: at, last_seen_at: at })
  if (inviter) await addVouch(tx, { by: inviter.id, whom: userId, at })
  const actor = { kind: 'person', userId, name: email, role, via: 'session', address } as const
  await append(tx, actor, at, { action: 'member.join', subject: email, detail: { role, by, way } })
}
