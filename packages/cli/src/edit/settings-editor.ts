// Edits settings that other programs and users write too: plan, diff, write with a record, and restore. init, add,
// install, schema --install and mcp install use it.

import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Node } from 'jsonc-parser'
import { UsageError } from '../usage-error.js'
import { type Before, type Change, creation, fileAt, targetOf, textOf } from './change.js'
import { allAdded, type DiffLine, diffOf } from './diff.js'
import { carryOut, forget, hashOf, type JobKind, type JobRecord, type StoredJob, stored } from './journal.js'
import { type Document, type Edit, isProblem, openDocument, placeOf } from './jsonc.js'
import { isRemoved } from './undo.js'
import { dropTemporary, removeEmpty, replace } from './write.js'

/** Parses the text of a settings file, or reports where it is broken. */
export function parseSettings(file: string, text: string): Document {
  const document = openDocument(text)
  if (!isProblem(document)) return document
  const { line, column, message } = document
  throw new UsageError(
    `${file}:${line}:${column} is not JSON: ${message}. Correct it, then try again. Nothing was written.`,
  )
}

/** Returns the node if it has this type. */
export function expectType(
  file: string,
  { text }: Document,
  node: Node,
  type: 'object' | 'array',
  name: string,
  fix = '',
): Node {
  if (node.type === type) return node
  const { line, column } = placeOf(text, node.offset)
  throw new UsageError(
    `${file}:${line}:${column} ${name} is not an ${type}, so nothing can be added to it. Correct it first${fix}. Nothing was written.`,
  )
}

// ——— plan and diff ———

export interface Edited {
  readonly text: string
  readonly edits: readonly Edit[]
  /** The text that the edits apply to, if it is not that of the file. */
  readonly base?: string
}

export interface FilePlan {
  /** Undefined if the file is as wanted. */
  readonly change?: Change
  readonly diff: readonly DiffLine[]
}

/** What `edit` would change in the file; a missing file starts as `empty`. */
export function planFile(file: string, empty: string, edit: (text: string) => Edited): FilePlan {
  const path = targetOf(file)
  const before = fileAt(path)
  if (!before) {
    const { text } = edit(empty)
    return { change: creation(path, text), diff: allAdded(text) }
  }
  const text = textOf(before, path)
  const { text: after, edits, base = text } = edit(text)
  if (after === text) return { diff: [] }
  const change = { path, before, after: Buffer.from(after), mode: before.mode }
  return { change, diff: diffOf(base.replace(/^\uFEFF/, ''), edits) }
}

// ——— records ———

/** Where the records of a settings file are. */
export interface Journal {
  readonly journal: string
  /** Mode of the folders that are created for it. */
  readonly journalMode: number
}

/** The records of the jobs that wrote this file, oldest first. More than one only after an interruption or an edit. */
export const recordsOf = (
  { journal }: Journal,
  kind: JobKind,
  path: string,
  fits: (entry: JobRecord) => boolean = () => true,
): StoredJob[] =>
  stored(journal).filter(
    ({ entry }) =>
      entry.kind === kind && fits(entry) && entry.files.some(file => file.holds && file.path === path),
  )

/** The file before the first job (null: there was none). Undefined if it was changed after the last job. */
export function originOf(
  records: readonly StoredJob[],
  path: string,
  now: Before | undefined,
): Before | null | undefined {
  if (!now) return undefined
  const hash = hashOf(now.bytes)
  const files = records.flatMap(({ entry }) => entry.files)
  const own = files.findLast(file => file.holds && file.path === path && file.after === hash)
  return own && bytesBefore(own)
}

/** The bytes that a record stores. */
export const bytesBefore = ({ before }: JobRecord['files'][number]): Before | null =>
  before && { bytes: Buffer.from(before.base64, 'base64'), mode: before.mode }

/**
 * Writes the changes. One new record replaces `earlier`: it leads to `origin`, the file before the first job, and
 * covers the folders that all of them created. `complete` adds what else the record stores.
 */
export function update(
  { journal, journalMode }: Journal,
  kind: JobKind,
  changes: readonly Change[],
  path: string,
  earlier: readonly StoredJob[],
  origin: Before | null,
  complete: (entry: JobRecord) => JobRecord = same => same,
): void {
  const before = origin && { base64: origin.bytes.toString('base64'), mode: origin.mode }
  carryOut(journal, kind, changes, [path], {
    complete: entry =>
      complete({
        ...entry,
        files: entry.files.map(file => (file.path === path ? { ...file, before } : file)),
        folders: foldersOf([...earlier.map(record => record.entry), entry]),
      }),
    mode: journalMode,
  })
  for (const record of earlier) forget(record)
}

/** Outermost first. */
export const foldersOf = (entries: readonly JobRecord[]): string[] =>
  [...new Set(entries.flatMap(({ folders }) => folders))].sort((a, b) => a.length - b.length)

export interface Removal {
  readonly path: string
  readonly now: Before | undefined
  /** Null if the file goes. */
  readonly after: Before | null
  /** Files that `path` names. */
  readonly removed?: readonly string[]
}

/**
 * Writes the file without the job, then removes its files, records and folders. Returns the folders that stay because
 * they hold something else.
 */
export function takeOut(
  { journal }: Journal,
  records: readonly StoredJob[],
  { path, now, after, removed = [] }: Removal,
): string[] {
  try {
    // First the file that names the others: a hook must not be named when its script is gone.
    if (!after) rmSync(path, { force: true })
    else if (!now?.bytes.equals(after.bytes) || now.mode !== after.mode)
      replace(path, after.bytes, after.mode)
    for (const file of removed) rmSync(file, { force: true })
    for (const folder of new Set([path, ...removed].map(dirname))) dropTemporary(folder)
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message}. Not everything could be removed. Correct that, then try again.`,
    )
  }
  for (const record of records) forget(record)
  // The journal of the machine is in one of the folders.
  removeEmpty(journal)
  return foldersOf(records.map(({ entry }) => entry))
    .toReversed()
    .filter(folder => !isRemoved(folder))
}
