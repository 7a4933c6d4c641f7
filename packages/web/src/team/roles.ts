// One sentence for each role, from the least to the most rights.

export const ROLES = ['auditor', 'author', 'admin', 'owner'] as const

export const ROLE_WORDS: Readonly<Record<string, string>> = {
  auditor: 'Reads everything and changes nothing',
  author: 'Writes and tests hooks; can halt a release',
  admin: 'Publishes, enrols devices, invites members',
  owner: 'Everything, including keys and other owners',
}

const rank = (role: string) => (ROLES as readonly string[]).indexOf(role)

/** Members cannot give more rights than they have. */
export const mayGive = (mine: string, theirs: string): boolean => rank(mine) >= rank(theirs)
