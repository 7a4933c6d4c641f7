// The entries of holdfast in the settings of another agent: add, find and remove them without changing the others.

import { shellWord } from '@holdfast/hooks'
import { type Bridge, GATES, type OwnFile } from '@holdfast/hooks/bridges'
import { getNodeValue, type Node } from 'jsonc-parser'
import type { Before } from '../edit/change.js'
import {
  applied,
  type Document,
  type Edit,
  isProblem,
  nodeAt,
  openDocument,
  removeParts,
} from '../edit/jsonc.js'
import { originOf, parseSettings, recordsOf } from '../edit/settings-editor.js'
import { type NewEntry, withEntries } from '../init/hooks-file.js'
import { UsageError } from '../usage-error.js'
import type { InstallPlace } from './place.js'
import { readBlock, withBlock, withoutBlock } from './toml.js'

export interface EntryOptions {
  readonly program: readonly string[]
  /** The agent's events. */
  readonly events: readonly string[]
  /** Sources that must be intact. */
  readonly required: readonly string[]
  /** The file is shared with users who may not have Holdfast. */
  readonly isShared: boolean
}

const HINT =
  'Blocked, because holdfast did not run the hooks of this project. If it is not installed: npm install --global holdfast'

export function entriesFor({ name, names, config }: Bridge, wanted: EntryOptions): NewEntry[] {
  const { program, events, required, isShared } = wanted
  const start = program.map(shellWord).join(' ')
  const end = required.length > 0 ? ` --required ${required.join(',')}` : ''
  return events.map(event => {
    const command = `${start} bridge ${name} --event ${event}${end}`
    const isGate = Object.hasOwn(GATES, names.events[event]!)
    return { event, entry: config.entry({ event, command, isGate, ...(isShared ? { hint: HINT } : {}) }) }
  })
}

export const isOurs = (item: unknown, { name }: Bridge): boolean =>
  new RegExp(`holdfast[^|]* bridge ${name}( |$)`).test(commandsIn(item).join('\n'))

/** The entries of holdfast in this text; none if the agent cannot read it. */
export function entriesIn(file: string, whole: string, bridge: Bridge): NewEntry[] {
  if (isToml(file)) return readBlock(whole)
  if (bridge.config.ownFile) return entriesOfOwnFile(whole, bridge.config.ownFile)
  const document = openDocument(whole)
  const hooks = isProblem(document) ? undefined : nodeAt(document, hooksKeyOf(bridge))
  // The parser makes objects without a prototype; the clone has one, so that it can be compared.
  const lists = hooks?.type === 'object' ? Object.entries(structuredClone(getNodeValue(hooks))) : []
  return lists.flatMap(([event, list]) =>
    Array.isArray(list)
      ? list.filter(item => isOurs(item, bridge)).map((entry): NewEntry => ({ event, entry }))
      : [],
  )
}

/** The text with these entries and no others of holdfast. */
export function withOnly(file: string, whole: string, entries: readonly NewEntry[], bridge: Bridge) {
  const { ownFile } = bridge.config
  if (ownFile) {
    if (whole !== '' && !ownFile.read(whole))
      throw new UsageError(`${file} is not from holdfast. Rename it, then try again. Nothing was written.`)
    const commands = Object.fromEntries(entries.map(({ event, entry }) => [event, String(entry.command)]))
    const text = ownFile.write(commands)
    return { text, base: whole, edits: [{ offset: 0, length: whole.length, text }] }
  }
  const base = withoutOurs(file, whole, bridge) ?? whole
  const made = isToml(file)
    ? withBlock(file, base, entries)
    : withEntries(file, base, entries, () => false, '', hooksKeyOf(bridge))
  return { ...made, base }
}

/** The text without the entries of holdfast; undefined if there are none. */
export const withoutOurs = (file: string, whole: string, bridge: Bridge): string | undefined =>
  isToml(file)
    ? withoutBlock(whole)
    : bridge.config.ownFile
      ? bridge.config.ownFile.read(whole) && ''
      : withoutEntries(file, whole, oursIn(bridge), hooksKeyOf(bridge))

const hooksKeyOf = ({ config }: Bridge): readonly string[] => config.hooksKey ?? ['hooks']

/** Those of a file of an earlier version differ from all new ones. */
function entriesOfOwnFile(text: string, ownFile: OwnFile): NewEntry[] {
  const commands = ownFile.read(text) ?? {}
  const more = text === ownFile.write(commands) ? {} : { isOutdated: true }
  return Object.entries(commands).map(([event, command]) => ({ event, entry: { command, ...more } }))
}

const isToml = (file: string): boolean => file.endsWith('.toml')

/** A command is in the entry, or in the list that the entry has. */
export function commandsIn(item: unknown): string[] {
  if (typeof item !== 'object' || item === null) return []
  const { command, bash, hooks } = item as Record<string, unknown>
  const own = [command, bash].filter(word => typeof word === 'string')
  return Array.isArray(hooks) ? [...own, ...hooks.flatMap(commandsIn)] : own
}

export function newFile(file: string, bridge: Bridge): string {
  const { ownFile, empty } = bridge.config
  if (isToml(file) || ownFile) return ''
  const hooks = hooksKeyOf(bridge).reduceRight((inner: object, key) => ({ [key]: inner }), {})
  return `${JSON.stringify({ ...empty, ...hooks }, null, 2)}\n`
}

export type Ours = (item: unknown, event: string) => boolean
const oursIn =
  (bridge: Bridge): Ours =>
  item =>
    isOurs(item, bridge)

/** The file before the first installation. Undefined if it was changed since, or had entries of holdfast then. */
export function originIn(place: InstallPlace, path: string, now: Before): Before | null | undefined {
  const origin = originOf(recordsOf(place, 'install', path), path, now)
  const text = origin?.bytes.toString('utf8')
  return text === undefined || withoutOurs(path, text, place.bridge) === undefined ? origin : undefined
}

/** The text without these entries; undefined if there are none. */
export function withoutEntries(
  file: string,
  whole: string,
  ours: Ours,
  hooksKey: readonly string[] = ['hooks'],
): string | undefined {
  const document = parseSettings(file, whole)
  const hooks = nodeAt(document, hooksKey)
  if (hooks?.type !== 'object') return undefined
  const empty: Node[] = []
  const edits = (hooks.children ?? []).flatMap(member => {
    const [key, list] = member.children ?? []
    if (list?.type !== 'array') return []
    const isOne = (item: Node) => ours(getNodeValue(item), String(key?.value))
    const gone = (list.children ?? []).filter(isOne)
    if (gone.length > 0 && gone.length === list.children?.length && gone.every(isAlone)) {
      empty.push(member)
      return []
    }
    return removeEach(document, list, gone, isOne)
  })
  const all: Edit[] = [...edits, ...removeParts(document, hooks, empty)]
  return all.length === 0 ? undefined : applied(whole, all)
}

/** No other hook is in the same entry. */
const isAlone = (item: Node): boolean => {
  const { hooks } = getNodeValue(item) as { hooks?: unknown }
  return !Array.isArray(hooks) || hooks.length <= 1
}

function removeEach(document: Document, list: Node, gone: readonly Node[], isOne: (item: Node) => boolean) {
  const whole = gone.filter(isAlone)
  const shared = gone.filter(item => !isAlone(item))
  return [
    ...removeParts(document, list, whole),
    ...shared.flatMap(item => {
      const inner = item.children?.find(({ children }) => children?.[0]?.value === 'hooks')?.children?.[1]
      return inner ? removeParts(document, inner, (inner.children ?? []).filter(isOne)) : []
    }),
  ]
}
