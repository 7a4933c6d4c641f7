// The commands that no agent waits for: those of people who write hooks, and those of teams. A bundle of its own, loaded
// when one of them is called.

export { handOver } from './model.js'

export const COMMANDS = {
  explain: () => import('./commands/explain.js'),
  check: () => import('./commands/check.js'),
  list: () => import('./commands/list.js'),
  log: () => import('./commands/log.js'),
  schema: () => import('./commands/schema.js'),
  init: () => import('./commands/init.js'),
  test: () => import('./commands/test.js'),
  doctor: () => import('./commands/doctor.js'),
  compat: () => import('./commands/compat.js'),
  replay: () => import('./commands/replay.js'),
  build: () => import('./commands/build.js'),
  trust: () => import('./commands/trust.js'),
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

/** For fire, if the source of a hook is newer than its bundle. */
export const bundles = () => import('./build/stale.js')

/** For fire, when a hook failed or there is none. */
export const lint = () => import('./check/lint.js')

/** For the bridge when a session starts. */
export const stale = () => import('./install/stale.js')
