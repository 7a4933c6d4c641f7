// The device's side of a team: what the command and the hosts need of it.

export { type Enrolment, type Held, isAddress, lock } from '@holdfast/hooks/team'
export { type Around, type AroundOptions, aroundOf, type Facts } from './around.js'
export { type EnrolOptions, type EnrolResult, enrol, type Proof, pinOf } from './enrol.js'
export { enrolledTeams } from './enrolment.js'
export type { Expiring } from './expiry.js'
export { type LeaveResult, leave } from './leave.js'
export { PROBLEMS, type Problem, type ProblemCode, rowOf } from './problems.js'
export type { DeviceState } from './report.js'
export { type SendOptions, type SendResult, sendRecords } from './send.js'
export { readStatus, type TeamStatus } from './status.js'
export { type InForce, type SyncOptions, type SyncResult, sync } from './sync.js'
export { type Watching, type WatchOptions, watchTeam } from './watch.js'
