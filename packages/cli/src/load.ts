// Commands that no agent waits for are in a bundle of their own beside this one, which `fire` and `bridge` do not read.

import { join } from 'node:path'
import type * as Guards from './guards/index.js'
import { ownDoor } from './model.js'
import type * as Workshop from './workshop.js'

/** Both bundles are CommonJS. */
declare const require: (file: string) => typeof Workshop
declare const __dirname: string

export const openWorkshop = () => {
  const shop = require(join(__dirname, 'workshop.cjs'))
  const door = ownDoor()
  if (door) shop.handOver(door)
  return shop
}

export const workshop = async (name: keyof typeof Workshop.COMMANDS) => openWorkshop().COMMANDS[name]()

/** The guards parse shell commands with a library that nothing else needs. */
export const guards = async (name: 'add' | 'explain' | 'guard') => {
  const all = (require as (file: string) => unknown)(join(__dirname, 'guards.cjs')) as typeof Guards
  return { run: all[name] }
}

export const showHelp = async (command: string): Promise<number> => (await workshop('help')).run([command])
