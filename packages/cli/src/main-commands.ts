// The bundle of the commands that no agent waits for, and of what `fire` and `bridge` load only when they need it.

export { completionNodes } from './completion/model.js'
export { printHelp } from './help.js'
export { handOver } from './model.js'
export { findCommand } from './table.js'

/** Several versions, for `fire`. */
export const openProfiles = () => import('./profiles/fire.js')

/** For `fire`, if the source of a hook is newer than its bundle. */
export const openStaleBundles = () => import('./build/stale.js')

/** For `fire`, when a hook failed or there is none. */
export const openLint = () => import('./check/lint.js')

/** For `bridge`, when a session starts. */
export const openStaleInstalls = () => import('./install/stale.js')
