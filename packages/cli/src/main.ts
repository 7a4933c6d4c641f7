// The command. Each subcommand is a file of its own, loaded only when it is called. `bridge` has a bundle of its own.

import manifest from '../package.json' with { type: 'json' }
import { guards, workshop } from './load.js'
import { print } from './print/terminal.js'
import { start } from './start.js'

export interface Command {
  /** Resolves to the exit code. */
  run(argv: readonly string[]): Promise<number>
}

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  fire: () => import('./commands/fire.js'),
  explain: () => workshop('explain'),
  check: () => workshop('check'),
  list: () => workshop('list'),
  log: () => workshop('log'),
  trust: () => workshop('trust'),
  schema: () => workshop('schema'),
  mcp: () => import('./commands/mcp.js'),
  guard: () => guards('guard'),
  add: () => guards('add'),
  install: () => workshop('install'),
  uninstall: () => workshop('uninstall'),
  init: () => workshop('init'),
  test: () => workshop('test'),
  doctor: () => workshop('doctor'),
  compat: () => workshop('compat'),
  replay: () => workshop('replay'),
  build: () => workshop('build'),
  login: () => workshop('login'),
  team: () => workshop('team'),
  serve: () => workshop('serve'),
  backup: () => workshop('backup'),
  restore: () => workshop('restore'),
  audit: () => workshop('audit'),
  keys: () => workshop('keys'),
  ui: () => workshop('ui'),
  help: () => workshop('help'),
}

const SPELLINGS: Readonly<Record<string, string>> = { '--help': 'help', '-h': 'help' }

async function call([name, ...rest]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v' || name === '-V' || name === 'version') {
    print(`holdfast ${manifest.version}\n`)
    return 0
  }
  const word = name === undefined ? 'help' : (SPELLINGS[name] ?? name)
  const load = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  if (!load) {
    const { known } = await import('./options.js')
    known('command', word, [...Object.keys(COMMANDS), 'bridge'])
    return 1
  }
  return (await load()).run(rest)
}

start(() => call(process.argv.slice(2)))
