// `holdfast bridge` in a bundle of its own: agents call it at each step, and less code is loaded faster.

import { runCommand } from './command.js'
import { command } from './commands/bridge.js'
import { start } from './start.js'

start(() => runCommand(command, process.argv.slice(3)))
