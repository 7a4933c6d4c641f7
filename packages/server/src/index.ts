// The team server, for the command that starts it and for tests.

export { Complaint } from './complaint.js'
export { firstOwnerLink, ownerLink } from './people/invites.js'
export type { Oidc } from './people/oidc.js'
export { type OpenPeople, openPeople, type PeopleOptions } from './people/open.js'
