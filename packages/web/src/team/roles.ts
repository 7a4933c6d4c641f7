// What each role is for, in a sentence; from the least to the most.

export const ROLES = ['auditor', 'author', 'admin', 'owner'] as const

export const ROLE_WORDS: Readonly<Record<string, string>> = {
  auditor: 'Sees everything and changes nothing',
  author: 'Writes hooks and tries them; may halt a release',
  admin: 'Publishes, enrols devices, invites members',
  owner: 'Everything, with the keys and the other owners',
}

const rank = (role: string) => (ROLES as readonly string[]).indexOf(role)

/** Nobody gives away more than they have. */
export const mayGive = (mine: string, theirs: string): boolean => rank(mine) >= rank(theirs)
