// Lists the changes of holdfast to Cursor's files, from the records of the journal.

import { getNodeValue } from 'jsonc-parser'
import type { Before } from '../edit/change.js'
import { hashOf, type Pack, type StoredJob, type WrittenFile } from '../edit/journal.js'
import { type Document, isProblem, nodeAt, openDocument } from '../edit/jsonc.js'
import { bytesBefore, recordsOf } from '../edit/settings-editor.js'
import { isSameProgram } from '../init/hooks-file.js'
import type { Ours } from '../install/entries.js'
import type { CursorTarget } from './place.js'

export interface InstalledPacks {
  /** More than one only after an interruption between two steps. */
  readonly records: readonly StoredJob[]
  readonly packs: readonly Pack[]
  readonly scripts: readonly WrittenFile[]
  /** Whether holdfast wrote the bytes at this path. */
  isOurs(path: string, bytes: Buffer): boolean
}

/** `path` is that of hooks.json, behind all links. */
export function knownIn(target: CursorTarget, path: string): InstalledPacks {
  const records = recordsOf(target, 'install', path, ({ packs }) => packs !== undefined)
  const files = records.flatMap(({ entry }) => entry.files)
  const packs = new Map(records.flatMap(({ entry }) => entry.packs!.map(pack => [pack.name, pack] as const)))
  return {
    records,
    packs: [...packs.values()],
    scripts: [...new Map(files.filter(file => !file.holds).map(file => [file.path, file])).values()],
    isOurs: (at, bytes) => files.some(file => file.path === at && file.after === hashOf(bytes)),
  }
}

/** Entries of these packs, unless the user had the same one before, and entries that start a script of these packs. */
export function oursAmong(packs: readonly Pack[], { records }: InstalledPacks, path: string): Ours {
  const had = records
    .flatMap(({ entry }) => entry.files)
    .filter(file => file.holds && file.path === path)
    .flatMap(file => documentOf(bytesBefore(file)) ?? [])
  return (item, event) =>
    packs.some(
      ({ name, entries }) =>
        startsScript(item, name) ||
        entries.some(
          one =>
            one.event === event &&
            isSameProgram(item, one.entry) &&
            !had.some(document => has(document, one)),
        ),
    )
}

const startsScript = (item: unknown, name: string): boolean => {
  const { command } = (item ?? {}) as { command?: unknown }
  return (
    typeof command === 'string' &&
    new RegExp(`(^|[\\s"'=])hooks/${name.replaceAll('.', '\\.')}/`).test(command)
  )
}

const documentOf = (file: Before | null): Document | undefined => {
  const document = file && openDocument(file.bytes.toString('utf8'))
  return document && !isProblem(document) ? document : undefined
}

function has(document: Document, { event, entry }: Pack['entries'][number]): boolean {
  const list = nodeAt(document, ['hooks', event])
  const items: unknown = list && getNodeValue(list)
  return Array.isArray(items) && items.some(item => isSameProgram(item, entry))
}
