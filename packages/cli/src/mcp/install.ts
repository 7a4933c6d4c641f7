// A client's settings with its servers through the gateway, and back again. Decides; writing is the last step.

import { accessSync, constants } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { readKept, writeKept } from './kept.js'
import { isSameValue, isThrough, type Through, throughGateway, withoutGateway } from './rewrite.js'
import { type Entry, type Settings, withEntries, writeSettings } from './settings.js'

export type State = 'through' | 'already' | 'skipped' | 'restored' | 'direct' | 'changed'

export interface Told {
  readonly name: string
  readonly state: State
  /** Why not, or what else to know. */
  readonly text: string
}

export interface Change {
  readonly servers: readonly Told[]
  /** Writes what was decided. */
  apply(): void
}

export interface Place {
  readonly home: string
  /** How the person calls the file. */
  readonly shown: string
  readonly isWanted: (name: string) => boolean
}

export function install(settings: Settings, { home, shown, isWanted }: Place): Change {
  const { file, entries } = settings
  const kept = readKept(home, file)
  const texts = new Map<string, string>()
  const through = waysOf(file, home)
  const servers = entries
    .filter(({ name }) => isWanted(name))
    .map((entry): Told => {
      const { name } = entry
      const made = throughGateway(entry, through)
      if (made.kind === 'already') return { name, state: 'already', text: '' }
      if (made.kind === 'skipped') return { name, state: 'skipped', text: made.why }
      texts.set(name, made.text)
      kept.set(name, { before: entry.text, after: made.text })
      return { name, state: 'through', text: made.note ?? '' }
    })
  return {
    servers,
    apply() {
      if (texts.size === 0) return
      // First what it was: a settings file without its record could not be restored.
      writeKept(home, file, kept)
      writeSettings(settings, withEntries(settings, texts), shown)
    },
  }
}

export function uninstall(settings: Settings, { home, shown, isWanted }: Place): Change {
  const { file, entries } = settings
  const kept = readKept(home, file)
  const texts = new Map<string, string>()
  const servers = entries
    .filter(({ name }) => isWanted(name))
    .map((entry): Told => {
      const { name } = entry
      const record = kept.get(name)
      const before = textBefore(entry, record)
      if (before === undefined) return { name, state: 'changed', text: CHANGED }
      kept.delete(name)
      if (before === entry.text) return { name, state: 'direct', text: '' }
      texts.set(name, before)
      return { name, state: 'restored', text: before === record?.before ? '' : record ? EDITED : FORGOTTEN }
    })
  return {
    servers,
    apply() {
      if (texts.size > 0) writeSettings(settings, withEntries(settings, texts), shown)
      writeKept(home, file, kept)
    },
  }
}

const EDITED = 'it was changed since, so only its command was put back'
const FORGOTTEN = 'no record was kept of it, so only its command was put back'
const CHANGED = 'what it was is not known any more; write its "url" back by hand'

function textBefore(entry: Entry, record: { before: string; after: string } | undefined): string | undefined {
  if (record && isSameValue(entry.text, record.after)) return record.before
  return isThrough(entry) ? withoutGateway(entry) : entry.text
}

/** Clients that start servers elsewhere than in the project know a word for its folder. */
const KNOW_FOLDER: Readonly<Record<string, true>> = { '.cursor': true, '.vscode': true }
/** For them, not for us to fill in. */
const WORKSPACE_FOLDER = '$' + '{workspaceFolder}'
const OLD_URL: Readonly<Record<string, true>> = { '.gemini': true, '.qwen': true }

function waysOf(file: string, home: string): Through {
  const folder = dirname(file)
  const inProject = dirname(folder) !== home && Object.hasOwn(KNOW_FOLDER, basename(folder))
  return {
    program: isOnPath() ? ['holdfast'] : [process.execPath, process.argv[1] ?? ''],
    root: inProject ? WORKSPACE_FOLDER : undefined,
    isOldUrl: Object.hasOwn(OLD_URL, basename(folder)),
  }
}

/** On the path of the person, not only of the npm script that runs us: the client must find it, too. */
function isOnPath(): boolean {
  const names = process.platform === 'win32' ? ['holdfast.cmd', 'holdfast.exe'] : ['holdfast']
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => folder !== '' && !/[\\/](?:node_modules[\\/]\.bin|_npx)(?:[\\/]|$)/.test(folder))
    .some(folder => names.some(name => isExecutable(join(folder, name))))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
