// Which runs a page wants to see.

import type { RunFilter } from '@holdfast/web/panel'
import { wrong } from '../refusals.js'
import type { Row } from './row.js'

export type Wanted = (row: Row) => boolean

/** Of a configured hook: which rows are its runs. */
export type RunsOf = (hookId: string) => Wanted

export type Filter = Omit<RunFilter, '$typeName' | '$unknown'>

const LONGEST_TEXT = 1000

export function wantedBy(filter: Filter | undefined, runsOf: RunsOf): Wanted {
  if (!filter) return () => true
  const tests: Wanted[] = []
  const from = timeOf(filter.from, 'from')
  const to = timeOf(filter.to, 'to')
  if (from !== undefined) tests.push(({ timeMs }) => timeMs >= from)
  if (to !== undefined) tests.push(({ timeMs }) => timeMs < to)
  const among = (words: readonly string[], nameOf: (row: Row) => string) => {
    if (words.length === 0) return
    const set = new Set(words)
    tests.push(row => set.has(nameOf(row)))
  }
  among(filter.verdicts, ({ verdict }) => verdict)
  among(filter.events, ({ event }) => event)
  among(filter.hooks, ({ hook }) => hook)
  among(filter.sources, ({ source }) => source)
  if (filter.conversationId !== '')
    tests.push(({ conversationId }) => conversationId === filter.conversationId)
  if (filter.hookId !== '') tests.push(runsOf(filter.hookId))
  tests.push(...textTests(filter.text))
  return row => tests.every(test => test(row))
}

function timeOf(text: string, name: string): number | undefined {
  if (text === '') return undefined
  const time = Date.parse(text)
  if (Number.isFinite(time)) return time
  throw wrong(`"${name}" is not a time. Write it like 2026-01-31T09:00:00Z.`)
}

/** Every word must be found somewhere. Hooks and events are few: each is looked at once. */
function textTests(text: string): Wanted[] {
  const words = text.slice(0, LONGEST_TEXT).toLowerCase().split(/\s+/).filter(Boolean)
  return words.map(word => {
    const seen = new Map<string, boolean>()
    const holds = (value: string) => {
      let held = seen.get(value)
      if (held === undefined) {
        held = value.toLowerCase().includes(word)
        seen.set(value, held)
      }
      return held
    }
    return ({ text: own, hook, event, source }: Row) =>
      own.includes(word) || holds(hook) || holds(event) || holds(source)
  })
}
