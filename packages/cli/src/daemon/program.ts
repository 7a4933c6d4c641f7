// Whether a command line starts this installation of Holdfast.

import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { ownScript } from './start.js'

const COMMANDS = new Set(['bridge', 'daemon', 'approvals', 'guard'])

export interface CommandLine {
  readonly words: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

let program: string | undefined
let node: string | undefined

/** The words after the program, which Node may start; undefined if they start another one. */
export function ownWords({ words, cwd, env }: CommandLine): readonly string[] | undefined {
  const count = words.findIndex(word => COMMANDS.has(word))
  if (count !== 1 && count !== 2) return undefined
  const find = (word: string): string | undefined => {
    const paths = word.includes('/')
      ? [resolve(cwd, word)]
      : (env.PATH ?? '').split(':').map(entry => join(isAbsolute(entry) ? entry : resolve(cwd, entry), word))
    const found = paths.find(path => statSync(path, { throwIfNoEntry: false })?.isFile())
    return found && realpathSync.native(found)
  }
  program ??= realpathSync(ownScript())
  if (find(words[count - 1]!) !== program) return undefined
  // Any other program before it does work of its own.
  node ??= realpathSync(process.execPath)
  return count === 1 || find(words[0]!) === node ? words.slice(count) : undefined
}
