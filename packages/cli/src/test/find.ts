// Finds test files, and the hooks.json that each of them tests.

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from '../usage-error.js'
import type { TestFile } from './cases.js'
import { readTestFile } from './read.js'

export const TEST_FILE = /\.hooks-test\.(?:ya?ml|json)$/
/** Folders of other tools. */
const LEFT_OUT = new Set(['node_modules', '.git'])
const MOST_FOLDERS = 20_000
const LARGEST_MIB = 1

/** Named files are used as they are; folders are searched. Links are not followed. */
export function findTestFiles(named: readonly string[], cwd: string, root: string): string[] {
  const found = new Set<string>()
  for (const name of named.length > 0 ? named : [root]) {
    const path = resolve(cwd, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) throw new UsageError(`There is no file or folder ${name}.`)
    if (stats.isDirectory()) for (const file of under(path)) found.add(file)
    else if (TEST_FILE.test(path)) found.add(path)
    else throw new UsageError(`${name} is not a test file. Its name must end with .hooks-test.yaml or .json.`)
  }
  return [...found]
}

function under(top: string): string[] {
  const files: string[] = []
  const folders = [top]
  for (let visited = 0; visited < folders.length; visited++) {
    if (visited > MOST_FOLDERS)
      throw new UsageError(`${top} contains more than ${MOST_FOLDERS} folders. Name the ones with the tests.`)
    const folder = folders[visited]!
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) folders.push(path)
      else if (entry.isFile() && TEST_FILE.test(entry.name)) files.push(path)
    }
  }
  return files.sort()
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // A folder that cannot be read has no tests.
    return []
  }
}

export function loadTestFile(file: string, home: string): TestFile {
  const broken = (message: string): TestFile => ({
    file,
    problems: [{ line: 1, column: 1, message }],
    hooks: '',
    level: undefined,
    copy: [],
    cases: [],
  })
  try {
    const stats = statSync(file)
    // Opening a pipe would wait for a writer and could not be interrupted.
    if (!stats.isFile()) return broken('This is not a file.')
    if (stats.size > LARGEST_MIB * 1024 * 1024)
      return broken(`The file is larger than ${LARGEST_MIB} MiB. Split it.`)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
    return readTestFile(file, text, named => hooksFor(file, named, home))
  } catch (error) {
    if (error instanceof TypeError) return broken('The file is not text in UTF-8.')
    const { code, message } = error as NodeJS.ErrnoException
    return broken(`The file cannot be read (${code ?? message}).`)
  }
}

/** The file that the test names, or the nearest one at or above it in the project. */
function hooksFor(
  file: string,
  named: string | undefined,
  home: string,
): { file: string } | { problem: string } {
  if (named !== undefined) {
    const path = resolve(dirname(file), named)
    const hooks = isFolder(path) ? join(path, 'hooks.json') : path
    return existsSync(hooks)
      ? { file: hooks }
      : { problem: `There is no file ${named} relative to this file.` }
  }
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    // The home folder is above a project; its hooks are not those of the project.
    if (folder === home) break
    for (const hooks of [join(folder, 'hooks.json'), join(folder, '.cursor', 'hooks.json')]) {
      if (existsSync(hooks)) return { file: hooks }
    }
    if (existsSync(join(folder, '.git')) || folder === dirname(folder)) break
  }
  return { problem: 'There is no hooks.json beside this file or above it. Name one with "hooks: FILE".' }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Whether a hooks.json is that of the user. */
export const isOfHome = (hooks: string, home: string): boolean => {
  const folder = dirname(hooks)
  return basename(folder) === '.cursor' && real(dirname(folder)) === real(home)
}

const real = (path: string) => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
