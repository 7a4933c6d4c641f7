// `holdfast bridge` in a bundle of its own: agents call it at each step, and less code is loaded faster.

import { run } from './commands/bridge.js'
import { start } from './start.js'

start(() => run(process.argv.slice(3)))
