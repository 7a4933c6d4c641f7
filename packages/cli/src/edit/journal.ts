// Remembers what was written, so that it can be taken back byte for byte. One file for each time, under
// ~/.holdfast/undo; it is written before the first change, so that even half a job can be undone.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Complaint } from '../complaint.js'
import type { Change } from './change.js'
import { isMade, missingFolders, removeEmpty, replace, writeAll } from './write.js'

export type Kind = 'init' | 'schema' | 'install'

export interface WrittenFile {
  readonly path: string
  /** Null when the file was created. */
  readonly before: { readonly base64: string; readonly mode: number } | null
  /** Of the bytes that were written. */
  readonly after: string
  /** Names the others: as long as somebody else's change of it stays, they stay too. */
  readonly holds: boolean
}

/** Hooks that were put into a hooks.json together, under one name. */
export interface Pack {
  readonly name: string
  /** The hooks.json that they come from. */
  readonly from: string
  readonly entries: readonly { readonly event: string; readonly entry: Readonly<Record<string, unknown>> }[]
}

export interface Entry {
  readonly version: 1
  readonly kind: Kind
  readonly time: string
  readonly files: readonly WrittenFile[]
  /** Created, outermost first. */
  readonly folders: readonly string[]
  readonly trusted?: { readonly root: string; readonly fingerprints: readonly string[] }
  /** What stands in the file that holds the others, beside what was there. */
  readonly packs?: readonly Pack[]
}

export interface Stored {
  readonly file: string
  readonly entry: Entry
}

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** `about` is the folder that the work was done for. */
export const journalFolder = (home: string, about: string): string =>
  join(home, '.holdfast', 'undo', hashOf(Buffer.from(realOf(about))).slice(0, 16))

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

interface Keeping {
  /** What else is remembered; it is kept before the first change, too. */
  readonly complete?: (entry: Entry) => Entry
  /** Of the folders of the journal: a person's own is nobody else's business. */
  readonly mode?: number
}

/** Writes all changes and remembers them. `holders` are the files that name the others. */
export function carryOut(
  folder: string,
  kind: Kind,
  changes: readonly Change[],
  holders: readonly string[],
  { complete = same => same, mode = 0o700 }: Keeping = {},
): Stored {
  const folders = missingFolders(changes)
  const own = missingFolders([{ path: join(folder, 'first') }])
  const entry = complete({
    version: 1,
    kind,
    time: new Date().toISOString(),
    files: changes.map(({ path, before, after }) => ({
      path,
      before: before && { base64: before.bytes.toString('base64'), mode: before.mode },
      after: hashOf(after),
      holds: holders.includes(path),
    })),
    folders,
  })
  const file = saving(folder, () => newFile(folder, entry, own, mode))
  try {
    writeAll(changes, folders)
  } catch (error) {
    rmSync(file, { force: true })
    for (const one of own.toReversed()) removeEmpty(one)
    throw new Complaint(`${(error as Error).message}. Everything is as it was before.`)
  }
  return { file, entry }
}

export const remember = ({ file }: Stored, entry: Entry): void =>
  replace(file, Buffer.from(JSON.stringify(entry)), 0o600)

export const forget = ({ file }: Stored): void => rmSync(file, { force: true })

/** Oldest first. A file that is not ours is left alone. */
export function stored(folder: string): Stored[] {
  return namesIn(folder).flatMap(name => {
    const file = join(folder, name)
    try {
      const entry = JSON.parse(readFileSync(file, 'utf8')) as Entry
      return entry.version === 1 && Array.isArray(entry.files) ? [{ file, entry }] : []
    } catch {
      return []
    }
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => /^\d{6}\.json$/.test(name))
      .sort()
  } catch {
    return []
  }
}

/** Two at once get two numbers. */
function newFile(folder: string, entry: Entry, missing: readonly string[], mode: number): string {
  for (const one of missing) isMade(one, mode)
  for (let number = Number.parseInt(namesIn(folder).at(-1) ?? '0', 10) + 1; ; number++) {
    const file = join(folder, `${String(number).padStart(6, '0')}.json`)
    try {
      writeFileSync(file, JSON.stringify(entry), { flag: 'wx', mode: mode & 0o666 })
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function saving<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Complaint(
      `What is needed to undo this cannot be kept in ${folder}: ${(error as Error).message}. Nothing was written. Give another home with --home.`,
    )
  }
}
