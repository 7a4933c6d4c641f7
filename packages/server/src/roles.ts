// The roles of members. Nobody grants more than they have, and only owners change owners.

import { RequestError } from './request-error.js'

export const ROLES = ['auditor', 'author', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** No for a role that does not exist, on either side. */
export function isAtLeast(role: Role, wanted: Role): boolean {
  const least = ROLES.indexOf(wanted)
  return least !== -1 && ROLES.indexOf(role) >= least
}

export function toRole(text: string): Role {
  const role = ROLES.find(one => one === text)
  if (role) return role
  throw new RequestError(
    'invalid',
    `The role "${text.slice(0, 40)}" is not known. Expected ${ROLES.join(', ')}.`,
  )
}

/** A user of the first role wants to create or change a user of the second. */
export function mustRank(mine: Role, theirs: Role): void {
  if (isAtLeast(mine, theirs)) return
  throw new RequestError('forbidden', `Only a member with the role ${theirs} can do this; yours is ${mine}.`)
}
