// Loads the bundles that `fire` and `bridge` do not need, from beside this one.

import { join } from 'node:path'
import type * as Daemon from './daemon/main.js'
import type * as Guard from './guards/guard.js'
import type * as Commands from './main-commands.js'
import { ownDoor } from './model.js'

/** All bundles are CommonJS. */
declare const require: (file: string) => unknown
declare const __dirname: string

export function openCommands(): typeof Commands {
  const commands = require(join(__dirname, 'commands.cjs')) as typeof Commands
  const door = ownDoor()
  if (door) commands.handOver(door)
  return commands
}

/** A guard runs at each command of an agent, so it has a bundle of its own. */
export const openGuard = async () => require(join(__dirname, 'guards.cjs')) as typeof Guard

export const showHelp = (path: readonly string[]): Promise<number> => openCommands().printHelp(path)

/** Long-lived: only what answers agents is in its memory. */
export function openDaemon(): typeof Daemon {
  const daemon = require(join(__dirname, 'daemon.cjs')) as typeof Daemon
  const door = ownDoor()
  if (door) daemon.handOver(door)
  return daemon
}
