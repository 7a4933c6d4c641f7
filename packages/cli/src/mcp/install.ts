// Routes the servers of a client's settings through the gateway, and restores them. Writing is the last step.

import { basename, dirname } from 'node:path'
import { forget, journalFolder, type ReplacedValue, remember, type StoredJob } from '../edit/journal.js'
import { applied } from '../edit/jsonc.js'
import { originOf, recordsOf, update } from '../edit/settings-editor.js'
import { writeAll } from '../edit/write.js'
import { ownProgram } from '../own-program.js'
import { isSameValue, isThrough, type Through, throughGateway, withoutGateway } from './rewrite.js'
import type { ServerEntry, Settings } from './settings.js'

export type ServerState = 'through' | 'already' | 'skipped' | 'restored' | 'direct' | 'changed'

export interface ServerReport {
  readonly name: string
  readonly state: ServerState
  /** The reason, or a note. */
  readonly text: string
}

export interface ServerChange {
  readonly servers: readonly ServerReport[]
  /** Writes the changes. */
  apply(): void
}

export interface ServerSelection {
  readonly home: string
  readonly isWanted: (name: string) => boolean
  /** Where a gateway listens. */
  readonly at: string | undefined
}

export function install(settings: Settings, { home, isWanted, at }: ServerSelection): ServerChange {
  const { file, entries } = settings
  const { journal, records, values } = recordedValues(home, file)
  const texts = new Map<string, string>()
  const through = { ...waysOf(file, home), at }
  const servers = entries
    .filter(({ name }) => isWanted(name))
    .map((entry): ServerReport => {
      const { name } = entry
      const made = throughGateway(entry, through)
      if (made.kind === 'already') return { name, state: 'already', text: '' }
      if (made.kind === 'skipped') return { name, state: 'skipped', text: made.why }
      texts.set(name, made.text)
      values.set(name, { name, before: entry.text, after: made.text })
      return { name, state: 'through', text: made.note ?? '' }
    })
  return {
    servers,
    apply() {
      if (texts.size === 0) return
      const origin = originOf(records, file, settings.now) ?? settings.now
      const complete = (entry: StoredJob['entry']) => ({ ...entry, values: [...values.values()] })
      update(journal, 'mcp', [changeOf(settings, texts)], file, records, origin, complete)
    },
  }
}

export function uninstall(settings: Settings, { home, isWanted }: ServerSelection): ServerChange {
  const { file, entries } = settings
  const { records, values } = recordedValues(home, file)
  const texts = new Map<string, string>()
  const servers = entries
    .filter(({ name }) => isWanted(name))
    .map((entry): ServerReport => {
      const { name } = entry
      const record = values.get(name)
      const before = textBefore(entry, record)
      if (before === undefined) return { name, state: 'changed', text: CHANGED }
      values.delete(name)
      if (before === entry.text) return { name, state: 'direct', text: '' }
      texts.set(name, before)
      return { name, state: 'restored', text: before === record?.before ? '' : record ? EDITED : DROPPED }
    })
  return {
    servers,
    apply() {
      if (texts.size > 0) writeAll([changeOf(settings, texts)], [])
      const last = records.at(-1)
      if (last && values.size > 0) remember(last, { ...last.entry, values: [...values.values()] })
      for (const record of values.size > 0 ? records.slice(0, -1) : records) forget(record)
    },
  }
}

/** The servers that were put through the gateway, by name. Settings change often, so each is restored on its own. */
function recordedValues(home: string, file: string) {
  const journal = { journal: journalFolder(home, home), journalMode: 0o700 }
  const records = recordsOf(journal, 'mcp', file)
  const values = new Map<string, ReplacedValue>()
  for (const { entry } of records) for (const value of entry.values ?? []) values.set(value.name, value)
  return { journal, records, values }
}

function changeOf({ file, now, text, entries }: Settings, texts: ReadonlyMap<string, string>) {
  const edits = entries.flatMap(({ name, from, text: { length } }) => {
    const next = texts.get(name)
    return next === undefined ? [] : [{ offset: from, length, text: next }]
  })
  return { path: file, before: now, after: Buffer.from(applied(text, edits)), mode: now.mode }
}

const EDITED = 'it was changed since, so only its command was restored'
const DROPPED = 'there is no record of it, so only its command was restored'
const CHANGED = 'there is no record of it; restore its "url" by hand'

function textBefore(
  entry: ServerEntry,
  record: { before: string; after: string } | undefined,
): string | undefined {
  if (record && isSameValue(entry.text, record.after)) return record.before
  return isThrough(entry) ? withoutGateway(entry) : entry.text
}

/** Clients that start servers in another folder have a variable for the project folder. */
const KNOW_FOLDER: Readonly<Record<string, true>> = { '.cursor': true, '.vscode': true }
/** The client fills it in. */
const WORKSPACE_FOLDER = '$' + '{workspaceFolder}'
const OLD_URL: Readonly<Record<string, true>> = { '.gemini': true, '.qwen': true }

function waysOf(file: string, home: string): Omit<Through, 'at'> {
  const folder = dirname(file)
  const inProject = dirname(folder) !== home && Object.hasOwn(KNOW_FOLDER, basename(folder))
  return {
    program: ownProgram(),
    root: inProject ? WORKSPACE_FOLDER : undefined,
    isOldUrl: Object.hasOwn(OLD_URL, basename(folder)),
  }
}
