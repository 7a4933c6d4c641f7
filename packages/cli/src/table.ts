// All commands. Adding one takes a file in commands/ and a row here.

import { oneOf } from './arguments.js'
import type { Command } from './command.js'

type Load = () => Promise<{ readonly command: Command }>

/** By group, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Write and test hooks': {
    init: () => import('./commands/init.js'),
    add: () => import('./guards/add.js'),
    build: () => import('./commands/build.js'),
    test: () => import('./commands/test.js'),
    check: () => import('./commands/check.js'),
    doctor: () => import('./commands/doctor.js'),
    compat: () => import('./commands/compat.js'),
    replay: () => import('./commands/replay.js'),
    schema: () => import('./commands/schema.js'),
  },
  'Run and review hooks': {
    fire: () => import('./commands/fire.js'),
    explain: () => import('./commands/explain.js'),
    list: () => import('./commands/list.js'),
    log: () => import('./commands/log.js'),
    trust: () => import('./commands/trust.js'),
    ui: () => import('./commands/ui.js'),
  },
  'Use hooks in an agent': {
    install: () => import('./commands/install.js'),
    uninstall: () => import('./commands/uninstall.js'),
    mcp: () => import('./commands/mcp.js'),
    bridge: () => import('./commands/bridge.js'),
    guard: () => import('./guards/guard.js'),
    daemon: () => import('./commands/daemon.js'),
    approvals: () => import('./commands/approvals.js'),
    'allow-once': () => import('./guards/allow-once.js'),
  },
  'Distribute hooks in a team': {
    serve: () => import('./commands/serve.js'),
    login: () => import('./commands/login.js'),
    team: () => import('./commands/team.js'),
    keys: () => import('./commands/keys.js'),
    audit: () => import('./commands/audit.js'),
    backup: () => import('./commands/backup.js'),
    restore: () => import('./commands/restore.js'),
  },
  Other: {
    completion: () => import('./commands/completion.js'),
    help: () => import('./commands/help.js'),
  },
}

const ALL: Readonly<Record<string, Load>> = Object.assign({}, ...Object.values(COMMANDS))

export function findCommand(name: string): Load {
  const known = name === '--help' || name === '-h' ? 'help' : name
  return ALL[oneOf('command', known, Object.keys(ALL))]!
}
