// What no agent waits for is in a bundle of its own beside this one, which `fire` and `bridge` do not read.

import { join } from 'node:path'
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

export const showHelp = async (command: string): Promise<number> => (await workshop('help')).run([command])
