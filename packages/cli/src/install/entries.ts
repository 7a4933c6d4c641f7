// The entries of holdfast in the settings of another agent: add, find and remove them without changing the others.

import { type Bridge, GATES } from '@holdfast/hooks/bridges'
import { getNodeValue, type Node } from 'jsonc-parser'
import { Complaint } from '../complaint.js'
import {
  applied,
  type Document,
  type Edit,
  isProblem,
  nodeAt,
  openDocument,
  removeParts,
} from '../edit/jsonc.js'
import { type NewEntry, withEntries } from '../init/hooks-file.js'
import { readBlock, withBlock, withoutBlock } from './toml.js'

export interface Wanted {
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

export function entriesFor({ name, names, config }: Bridge, wanted: Wanted): NewEntry[] {
  const { program, events, required, isShared } = wanted
  const start = program.map(quoted).join(' ')
  const end = required.length > 0 ? ` --required ${required.join(',')}` : ''
  return events.map(event => {
    const command = `${start} bridge ${name} --event ${event}${end}`
    const isGate = Object.hasOwn(GATES, names.events[event]!)
    return { event, entry: config.entry({ event, command, isGate, ...(isShared ? { hint: HINT } : {}) }) }
  })
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

export const isOurs = (item: unknown, { name }: Bridge): boolean =>
  new RegExp(`holdfast[^|]* bridge ${name}( |$)`).test(commandsIn(item).join('\n'))

/** The entries of holdfast in this text; none if the agent cannot read it. */
export function entriesIn(file: string, whole: string, bridge: Bridge): NewEntry[] {
  if (isToml(file)) return readBlock(whole)
  const document = openDocument(whole)
  const hooks = isProblem(document) ? undefined : nodeAt(document, ['hooks'])
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
  const base = withoutOurs(file, whole, bridge) ?? whole
  const made = isToml(file)
    ? withBlock(file, base, entries)
    : withEntries(file, base, entries, () => false, '')
  return { ...made, base }
}

/** The text without the entries of holdfast; undefined if there are none. */
export const withoutOurs = (file: string, whole: string, bridge: Bridge): string | undefined =>
  isToml(file) ? withoutBlock(whole) : withoutEntries(file, whole, oursIn(bridge))

const isToml = (file: string): boolean => file.endsWith('.toml')

/** A command is in the entry, or in the list that the entry has. */
export function commandsIn(item: unknown): string[] {
  if (typeof item !== 'object' || item === null) return []
  const { command, bash, hooks } = item as Record<string, unknown>
  const own = [command, bash].filter(word => typeof word === 'string')
  return Array.isArray(hooks) ? [...own, ...hooks.flatMap(commandsIn)] : own
}

export const newFile = (file: string, { config }: Bridge): string =>
  isToml(file) ? '' : `${JSON.stringify({ ...config.empty, hooks: {} }, null, 2)}\n`

export type Ours = (item: unknown, event: string) => boolean
const oursIn =
  (bridge: Bridge): Ours =>
  item =>
    isOurs(item, bridge)

/** The text without these entries; undefined if there are none. */
export function withoutEntries(file: string, whole: string, ours: Ours): string | undefined {
  const document = openDocument(whole)
  if (isProblem(document)) {
    const { line, column, message } = document
    throw new Complaint(`${file}:${line}:${column} is not JSON: ${message}. Correct it, then try again.`)
  }
  const hooks = nodeAt(document, ['hooks'])
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

/** Nobody has put another hook into the same entry. */
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
