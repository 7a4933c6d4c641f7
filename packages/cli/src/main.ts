// The command. Each subcommand is a file of its own, loaded only when it is called.

import manifest from '../package.json' with { type: 'json' }
import { isComplaint } from './complaint.js'
import { guards, workshop } from './load.js'
import { print, printError } from './print/terminal.js'
import { visible } from './print/text.js'

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
  bridge: () => import('./commands/bridge.js'),
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

async function start([name, ...rest]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v' || name === '-V' || name === 'version') {
    print(`holdfast ${manifest.version}\n`)
    return 0
  }
  const word = name === undefined ? 'help' : (SPELLINGS[name] ?? name)
  const load = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  if (!load) {
    const { known } = await import('./options.js')
    known('command', word, Object.keys(COMMANDS))
    return 1
  }
  return (await load()).run(rest)
}

function fail(error: unknown): void {
  process.exitCode ||= 1
  if (isComplaint(error)) {
    printError(`${visible(error.message)}\n`)
    return
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: '' }
  const rest = process.env.HOLDFAST_DEBUG ? `\n${stack}\n` : '\n'
  printError(`Something went wrong inside holdfast: ${visible(message)}${rest}`)
}

process.once('uncaughtException', fail)
start(process.argv.slice(2)).then(code => {
  process.exitCode ||= code
}, fail)
