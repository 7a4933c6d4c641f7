// What nobody is in a hurry for stands in a bundle of its own beside this one: `fire` must not read it.

import { join } from 'node:path'
import type * as Workshop from './workshop.js'

/** Both bundles are CommonJS. */
declare const require: (file: string) => typeof Workshop
declare const __dirname: string

export const workshop = async (name: keyof typeof Workshop.COMMANDS) =>
  require(join(__dirname, 'workshop.cjs')).COMMANDS[name]()

export const showHelp = async (command: string): Promise<number> => (await workshop('help')).run([command])
