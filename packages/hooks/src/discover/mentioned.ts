// Every file that the text of a command mentions, however the shell comes to use it: sourced, piped, behind a
// variable, in another program's argument. Trust hangs on these, so it is better to count one too many; the price is
// that a change of it asks for trust again. What a command only writes to, and what is plainly data, does not count.

import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** What cuts a text into words that could be paths. */
const CUTS = /[\s'"`$;|&()<>=:{},]+/
/** The name of a variable is no part of the path behind it. */
const VARIABLE = /\$(?:\{\w+\}|[A-Za-z_]\w*)/g
const DATA = /\.(?:log|txt|md|jsonl|csv|lock|out|err)$/i
const WRITES = /(?:>>?|\btee(?:\s+-a)?)\s*["']?([^\s'"`;|&()<>]+)/g
const CHANGES_FOLDER = /(?:\bcd\s+(?:-\S+\s+)*|\bPATH=)["']?([^\s'"`;|&()<>$:]+)/g
/** Tools that run what stands in a file of their own. */
const BY_HABIT: readonly (readonly [RegExp, string])[] = [
  [/\b(?:npm|pnpm|yarn|bun)\b/, 'package.json'],
  [/\bmake\b/, 'Makefile'],
]
const MOST = 100

const PATTERN = /[*?]/

export interface Mentioned {
  readonly path: string
  /** Counts also while it does not exist: a path may be filled later. */
  readonly late: boolean
}

export function mentionedFiles(command: string, root: string, cwd: string): Mentioned[] {
  const text = command.replace(VARIABLE, '$')
  const written = new Set([...text.matchAll(WRITES)].map(match => match[1]!.replace(/^\$/, '')))
  const folders = [...command.matchAll(CHANGES_FOLDER)].map(match => resolve(cwd, match[1]!))
  const found = new Map<string, Mentioned>()
  const add = (path: string, late: boolean) =>
    found.set(path, { path, late: late || found.get(path)?.late === true })
  for (const word of text.split(CUTS)) {
    const isPath = word.includes('/')
    if (!isPath && !word.includes('.')) continue
    if (word.startsWith('-') || written.has(word) || DATA.test(word)) continue
    // What stands behind a variable begins with a slash and is meant from the root or the folder.
    const plain = word.replace(/^[.}]*\/+/, '') || word
    for (const base of [cwd, root, ...folders]) {
      const path = resolve(base, plain)
      if (PATTERN.test(plain)) for (const file of filesBeside(path)) add(file, false)
      else add(path, isPath)
    }
    if (isPath && !PATTERN.test(word)) add(resolve(cwd, word), true)
  }
  for (const folder of folders) for (const file of filesBeside(join(folder, '*'))) add(file, false)
  for (const [tool, file] of BY_HABIT) if (tool.test(command)) add(join(cwd, file), false)
  return [...found.values()].slice(0, MOST)
}

/** A pattern may match any file of its folder. */
function filesBeside(pattern: string): string[] {
  const folder = pattern.replace(/\/[^/]*[*?].*$/, '')
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .filter(entry => !entry.isDirectory() && !DATA.test(entry.name))
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}
