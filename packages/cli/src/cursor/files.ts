// The scripts of a hooks.json with all files beside them, because they may import any of them. Tests and generated
// files are left out.

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { UsageError } from '../usage-error.js'

export interface ScriptFile {
  /** Relative to the folder of the scripts, with slashes. */
  readonly name: string
  readonly bytes: Buffer
  readonly mode: number
}

const LEFT_OUT =
  /(?:^|\/)(?:__pycache__|\.git)\/|\.(?:pyc|log|jsonl|tmp)$|\.hooks-test\.\w+$|(?:^|\/)\.DS_Store$/
const MOST_FILES = 500
const MOST_BYTES = 16 * 1024 * 1024

export function filesIn(folder: string): ScriptFile[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() || entry.isSymbolicLink())
    .map(entry =>
      relative(folder, join(entry.parentPath ?? entry.path, entry.name))
        .split(sep)
        .join('/'),
    )
    .filter(name => !LEFT_OUT.test(name))
    .sort()
  if (names.length > MOST_FILES) throw tooMuch(folder, `${names.length} files`)
  const files = names.map(name => fileIn(folder, name))
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (size > MOST_BYTES) throw tooMuch(folder, `${Math.round(size / 1024 / 1024)} MiB`)
  return files
}

const tooMuch = (folder: string, size: string) =>
  new UsageError(
    `${folder} contains ${size}, which is too much to copy. Bundle each hook into one file (holdfast build), and keep libraries elsewhere. Nothing was written.`,
  )

/** The target of a link is copied if it is in the folder, too, and never another file that this user may read. */
function fileIn(folder: string, name: string): ScriptFile {
  const path = join(folder, name)
  try {
    const real = realpathSync(path)
    if (!real.startsWith(realpathSync(folder) + sep)) throw new Error(`it is a link to ${real}`)
    const stats = statSync(real)
    if (!stats.isFile()) throw new Error('it is a link to a folder')
    return { name, bytes: readFileSync(real), mode: (stats.mode & 0o111) === 0 ? 0o644 : 0o755 }
  } catch (error) {
    throw new UsageError(
      `${path} cannot be copied: ${(error as Error).message}. Replace it with a copy of the file. Nothing was written.`,
    )
  }
}
