// The door for machines of a team: whoever handles an agent's events also sees to it that the refresh of the team's
// hooks goes on, as after a restart of the machine nobody else would.

export { isAlive, type Refresh, refreshOf, revive, start, type Words } from './revive.js'
