// Users who may sign in by OIDC: members, invited addresses, and addresses of an allowed domain whose member was not
// removed. Only a verified address counts.

import type { Role } from '../roles.js'
import { openInviteFor } from '../store/invites.js'
import { countTeamOwners, isBanned, isMember, membershipOf, subjectsOf } from '../store/members.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'
import { roleOf, useInvite } from './invites.js'
import { enter } from './join.js'

export interface Doors {
  readonly allowedDomains: readonly string[]
  readonly defaultRole: Role
}

/** The identity at the issuer. The subject stays the same when the address changes. */
export interface Named {
  readonly email: string
  readonly subject: string
  /** The domain whose directory contains the user, for an issuer that serves many; any if undefined. */
  readonly directory?: string | undefined
}

/** The message for a rejected user; null if the user may sign in. */
export async function whyNot(
  team: Team,
  { allowedDomains }: Doors,
  { email, subject, directory }: Named,
): Promise<string | null> {
  const { db } = team.store
  const invited = await openInviteFor(db, email, team.now())
  if ((await countTeamOwners(db)) === 0 && invited?.role !== 'owner') {
    return 'This team has no owner yet. Open the link that "holdfast serve" printed when it started.'
  }
  const known = await subjectsOf(db, { email, subject })
  if (known.includes(subject)) return null
  // An address can be reassigned to another person, who must not get the account.
  if (known.length > 0) {
    return `${email} is a member under another account of the issuer. An admin has to remove that member first.`
  }
  if (invited || (await isMember(db, email))) return null
  if (await isBanned(db, { email, subject })) {
    return `${email} was removed from this team. Ask an admin for a new invitation.`
  }
  if (isOf(allowedDomains, email) && (directory === undefined || email.endsWith(`@${directory}`))) return null
  return `${email} is not a member of this team. Ask an admin to invite this address.`
}

/** Makes an allowed user a member. The library created the user a moment ago, or before a crash. */
export async function admit(
  team: Team,
  { allowedDomains, defaultRole }: Doors,
  user: { id: string; email: string },
  address: string,
): Promise<void> {
  const { id: userId, email } = user
  if (await membershipOf(team.store.db, userId)) return
  await team.store.write(async tx => {
    await oneAtATime(tx)
    if (await membershipOf(tx, userId)) return
    const invite = await openInviteFor(tx, email, team.now())
    if (invite) {
      await useInvite(team, tx, invite)
      await enter(team, tx, {
        userId,
        email,
        role: await roleOf(tx, invite),
        by: invite.invited_by,
        way: 'oidc',
        address,
      })
    } else if (isOf(allowedDomains, email) && !(await isBanned(tx, { email, subject: '' }))) {
      await enter(team, tx, { userId, email, role: defaultRole, by: 'domain', way: 'oidc', address })
    }
  })
  team.hub.changed('people')
}

const isOf = (domains: readonly string[], email: string): boolean =>
  domains.some(domain => email.endsWith(`@${domain.toLowerCase()}`))
