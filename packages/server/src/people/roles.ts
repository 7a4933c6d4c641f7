// What a role may do to another: nobody gives away more than they have, and owners are the owners' business.

import { isAtLeast, ROLES, type Role } from '../access/methods.js'
import { Refusal } from '../refusal.js'

export function toRole(text: string): Role {
  const role = ROLES.find(one => one === text)
  if (role) return role
  throw new Refusal('invalid', `The role "${text.slice(0, 40)}" is not known. Expected ${ROLES.join(', ')}.`)
}

/** A person of the first role wants to make or change somebody of the second. */
export function mustRank(mine: Role, theirs: Role): void {
  if (isAtLeast(mine, theirs)) return
  throw new Refusal('forbidden', `Only a member with the role ${theirs} does this; yours is ${mine}.`)
}
