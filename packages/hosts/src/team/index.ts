// The entry point for machines of a team: a host that handles events restarts the background refresh of the team's
// hooks, which nothing else would do after a reboot.

export { isAlive, type Refresh, refreshOf, revive, start, type Words } from './revive.js'
