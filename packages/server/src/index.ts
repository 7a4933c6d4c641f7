// The team server, for the command that starts it and for tests.

export type { Collector } from './audit/otlp/collector.js'
export { Complaint } from './complaint.js'
export { type Moving, moveTeam } from './move.js'
export { ownerLink } from './people/invites.js'
export type { Oidc } from './people/oidc.js'
export { secretOf } from './secrets.js'
export { type RunningServer, type ServerOptions, startServer } from './start.js'
