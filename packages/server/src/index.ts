// The team server, for the command that starts it and for tests.

export type { Collector } from './audit/otlp/sender.js'
export { type Backup, backUp, type Copying, type Restored, restore } from './backup.js'
export { type Moving, moveTeam } from './move.js'
export { ownerLink } from './people/invites.js'
export type { Oidc } from './people/oidc.js'
export { secretOf } from './secrets.js'
export { type RunningServer, type ServerOptions, startServer } from './start.js'
export { undoMigration } from './store/open.js'
export { UsageError } from './usage-error.js'
