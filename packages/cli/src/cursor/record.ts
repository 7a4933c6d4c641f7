// What we have put into Cursor's files so far, as the journal remembers it.

import { getNodeValue } from 'jsonc-parser'
import type { Before } from '../edit/change.js'
import { hashOf, type Pack, type Stored, stored, type WrittenFile } from '../edit/journal.js'
import { type Document, isProblem, nodeAt, openDocument } from '../edit/jsonc.js'
import { isSameProgram } from '../init/hooks-file.js'
import type { Ours } from '../install/entries.js'
import type { Target } from './place.js'

export interface Known {
  /** More than one only when a job was cut off between two of them. */
  readonly records: readonly Stored[]
  readonly packs: readonly Pack[]
  /** Created by us, outermost first. */
  readonly folders: readonly string[]
  readonly scripts: readonly WrittenFile[]
  /** Whether the bytes at this path are ours. */
  isOurs(path: string, bytes: Buffer): boolean
}

/** `path` is that of hooks.json, behind all links. */
export function knownIn({ journal }: Target, path: string): Known {
  const records = stored(journal).filter(
    ({ entry }) => entry.packs && entry.files.some(file => file.holds && file.path === path),
  )
  const files = records.flatMap(({ entry }) => entry.files)
  const packs = new Map(records.flatMap(({ entry }) => entry.packs!.map(pack => [pack.name, pack] as const)))
  return {
    records,
    packs: [...packs.values()],
    folders: [...new Set(records.flatMap(({ entry }) => entry.folders))],
    scripts: [...new Map(files.filter(file => !file.holds).map(file => [file.path, file])).values()],
    isOurs: (at, bytes) => files.some(file => file.path === at && file.after === hashOf(bytes)),
  }
}

/** hooks.json as it was before us, when it is still as we left it. */
export function originOf(
  { records }: Known,
  path: string,
  now: Before | undefined,
): Before | null | undefined {
  if (!now) return undefined
  const hash = hashOf(now.bytes)
  const own = records
    .flatMap(({ entry }) => entry.files)
    .findLast(file => file.holds && file.path === path && file.after === hash)
  return own && before(own)
}

const before = ({ before }: WrittenFile): Before | null =>
  before && { bytes: Buffer.from(before.base64, 'base64'), mode: before.mode }

/** Entries of these packs, unless the person had the same one before; and whatever starts a script of theirs. */
export function oursAmong(packs: readonly Pack[], { records }: Known, path: string): Ours {
  const had = records
    .flatMap(({ entry }) => entry.files)
    .filter(file => file.holds && file.path === path)
    .flatMap(file => documentOf(before(file)) ?? [])
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
