// What a role may do to another: nobody grants more than they have, and only owners change owners.

import { isAtLeast, ROLES, type Role } from '../access/methods.js'
import { RequestError } from '../request-error.js'

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
