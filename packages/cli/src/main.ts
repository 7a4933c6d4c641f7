// The command. Commands that agents wait for are loaded first; all others are in a bundle of their own. `bridge` has
// its own program, main-bridge.ts.

import manifest from '../package.json' with { type: 'json' }
import { type Command, runCommand } from './command.js'
import { openCommands, openGuard } from './load.js'
import { print } from './print/terminal.js'
import { start } from './start.js'

const FIRST: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  fire: () => import('./commands/fire.js'),
  guard: openGuard,
}

async function call([name = 'help', ...rest]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v' || name === '-V' || name === 'version') {
    print(`holdfast ${manifest.version}\n`)
    return 0
  }
  const first = Object.hasOwn(FIRST, name) ? FIRST[name] : undefined
  const { command } = await (first ?? openCommands().findCommand(name))()
  return runCommand(command, rest)
}

start(() => call(process.argv.slice(2)))
