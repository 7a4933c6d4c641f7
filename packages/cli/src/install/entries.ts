// Our entries in the settings of another agent: put in, found again, and taken out without touching the others.

import type { Bridge } from '@holdfast/hooks/bridges'
import { GATES } from '@holdfast/hooks/bridges'
import { getNodeValue, type Node } from 'jsonc-parser'
import { Complaint } from '../complaint.js'
import { applied, type Document, isProblem, nodeAt, openDocument, removeParts } from '../edit/jsonc.js'
import type { NewEntry } from '../init/hooks-file.js'

/** Agents take a hook that is cut off for a silent one, so it is not cut off. */
const TIMEOUT_SECONDS = 600

export function entriesFor(bridge: Bridge, program: readonly string[]): NewEntry[] {
  const start = program.map(quoted).join(' ')
  return Object.entries(bridge.names.events).map(([event, moment]) => {
    const call = `${start} bridge ${bridge.name} --event ${event}`
    // An agent goes on when a hook cannot be started; a gate must not.
    const command = Object.hasOwn(GATES, moment) ? `${call} || exit 2` : call
    return { event, entry: bridge.config.entry(command, TIMEOUT_SECONDS, event) }
  })
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

export const isOurs = (item: unknown, { name }: Bridge): boolean =>
  new RegExp(`holdfast[^|]* bridge ${name}( |$)`).test(commandsIn(item).join('\n'))

/** The events for which this text calls us; none when it is not what the agent reads. */
export function eventsCalled(whole: string, bridge: Bridge): string[] {
  const document = openDocument(whole)
  const hooks = isProblem(document) ? undefined : nodeAt(document, ['hooks'])
  const lists = hooks?.type === 'object' ? Object.entries(getNodeValue(hooks)) : []
  return lists
    .filter(([, list]) => Array.isArray(list) && list.some(item => isOurs(item, bridge)))
    .map(([event]) => event)
}

/** A command stands in the entry, or in the list that the entry holds. */
function commandsIn(item: unknown): string[] {
  if (typeof item !== 'object' || item === null) return []
  const { command, bash, hooks } = item as Record<string, unknown>
  const own = [command, bash].filter(word => typeof word === 'string')
  return Array.isArray(hooks) ? [...own, ...hooks.flatMap(commandsIn)] : own
}

export const newFile = (bridge: Bridge): string =>
  `${JSON.stringify({ ...bridge.config.empty, hooks: {} }, null, 2)}\n`

export type Ours = (item: unknown, event: string) => boolean

export const oursIn =
  (bridge: Bridge): Ours =>
  item =>
    isOurs(item, bridge)

/** The text without our entries; undefined when there are none. */
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
  const all = [...edits, ...removeParts(document, hooks, empty)]
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
