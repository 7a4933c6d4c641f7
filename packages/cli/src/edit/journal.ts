// Records each job, so that it can be undone byte for byte. One file per job, under ~/.holdfast/undo. It is written
// before the first change, so that an interrupted job can be undone, too.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../usage-error.js'
import type { Change } from './change.js'
import { isMade, missingFolders, removeEmpty, replace, writeAll } from './write.js'

export type JobKind = 'init' | 'add' | 'schema' | 'install' | 'mcp'

export interface WrittenFile {
  readonly path: string
  /** Null if the file was created. */
  readonly before: { readonly base64: string; readonly mode: number } | null
  /** Hash of the bytes that were written. */
  readonly after: string
  /** Names the other files: they stay as long as another change of this file stays. */
  readonly holds: boolean
}

/** Hooks that were added to a hooks.json together, under one name. */
export interface Pack {
  readonly name: string
  /** The hooks.json that they come from. */
  readonly from: string
  readonly entries: readonly { readonly event: string; readonly entry: Readonly<Record<string, unknown>> }[]
}

export interface JobRecord {
  readonly version: 1
  readonly kind: JobKind
  readonly time: string
  readonly files: readonly WrittenFile[]
  /** Created, outermost first. */
  readonly folders: readonly string[]
  readonly trusted?: { readonly root: string; readonly fingerprints: readonly string[] }
  /** Entries that were added to the file that names the others. */
  readonly packs?: readonly Pack[]
  /** Values of the file that were replaced; they can be restored one by one. */
  readonly values?: readonly ReplacedValue[]
}

export interface ReplacedValue {
  readonly name: string
  /** JSON texts with their comments and spaces. */
  readonly before: string
  readonly after: string
}

export interface StoredJob {
  readonly file: string
  readonly entry: JobRecord
}

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** `about` is the folder that the job was done for. */
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
  /** Adds to the record before it is written. */
  readonly complete?: (entry: JobRecord) => JobRecord
  /** Mode of the folders of the journal; only the user may read their own. */
  readonly mode?: number
}

/** Writes all changes, with a record. `holders` are the files that name the others. */
export function carryOut(
  folder: string,
  kind: JobKind,
  changes: readonly Change[],
  holders: readonly string[],
  { complete = same => same, mode = 0o700 }: Keeping = {},
): StoredJob {
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
    throw new UsageError(`${(error as Error).message}. Everything was restored.`)
  }
  return { file, entry }
}

export const remember = ({ file }: StoredJob, entry: JobRecord): void =>
  replace(file, Buffer.from(JSON.stringify(entry)), 0o600)

export const forget = ({ file }: StoredJob): void => rmSync(file, { force: true })

/** Oldest first. Files of others are ignored. */
export function stored(folder: string): StoredJob[] {
  return namesIn(folder).flatMap(name => {
    const file = join(folder, name)
    try {
      const entry = JSON.parse(readFileSync(file, 'utf8')) as JobRecord
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

/** Two jobs at the same time get two numbers. */
function newFile(folder: string, entry: JobRecord, missing: readonly string[], mode: number): string {
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
    throw new UsageError(
      `The data for undoing this cannot be stored in ${folder}: ${(error as Error).message}. Nothing was written. Choose another home with --home.`,
    )
  }
}
