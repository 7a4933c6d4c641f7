// The commands that nobody is in a hurry for: those of who writes hooks and proves them, and those of teams. A bundle of its own, loaded
// when one of them is called.

export { handOver } from './model.js'

export const COMMANDS = {
  init: () => import('./commands/init.js'),
  test: () => import('./commands/test.js'),
  doctor: () => import('./commands/doctor.js'),
  compat: () => import('./commands/compat.js'),
  replay: () => import('./commands/replay.js'),
  build: () => import('./commands/build.js'),
  'schema-install': () => import('./editors/install.js'),
  'mcp-install': () => import('./commands/mcp-install.js'),
  install: () => import('./commands/install.js'),
  uninstall: () => import('./commands/uninstall.js'),
  login: () => import('./commands/login.js'),
  team: () => import('./commands/team.js'),
  serve: () => import('./commands/serve.js'),
  backup: () => import('./commands/backup.js'),
  restore: () => import('./commands/restore.js'),
  audit: () => import('./commands/audit.js'),
  keys: () => import('./commands/keys.js'),
  ui: () => import('./commands/ui.js'),
  help: () => import('./commands/help.js'),
}

/** What fire needs only when several versions are asked for. */
export const several = () => import('./profiles/fire.js')

/** For the bridge when a session starts. */
export const stale = () => import('./install/stale.js')
