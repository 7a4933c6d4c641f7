// The events that match the filter of a page.

import type { RunFilter } from '@holdfast/web/panel'
import { wrong } from '../refusals.js'
import { type EventRow, type RunRow, verdictOfAll } from './row.js'

export type IsWanted = (occurrence: EventRow) => boolean

/** For a configured hook: whether a row is one of its runs. */
export type RunsOf = (hookId: string) => (row: RunRow) => boolean

export type Filter = Omit<RunFilter, '$typeName' | '$unknown'>

const LONGEST_TEXT = 1000

/** An event matches by its verdict and its time, or because one of its runs matches. */
export function wantedBy(filter: Filter | undefined, runsOf: RunsOf): IsWanted {
  if (!filter) return () => true
  const ofRows: ((row: RunRow) => boolean)[] = []
  const from = timeOf(filter.from, 'from')
  const to = timeOf(filter.to, 'to')
  if (from !== undefined) ofRows.push(({ timeMs }) => timeMs >= from)
  if (to !== undefined) ofRows.push(({ timeMs }) => timeMs < to)
  const among = (words: readonly string[], nameOf: (row: RunRow) => string) => {
    if (words.length === 0) return
    const set = new Set(words)
    ofRows.push(row => set.has(nameOf(row)))
  }
  among(filter.events, ({ event }) => event)
  among(filter.hooks, ({ group }) => group)
  among(filter.sources, ({ source }) => source)
  if (filter.conversationId !== '')
    ofRows.push(({ conversationId }) => conversationId === filter.conversationId)
  if (filter.hookId !== '') ofRows.push(runsOf(filter.hookId))
  ofRows.push(...textTests(filter.text))
  const verdicts = new Set(filter.verdicts)
  return occurrence =>
    (verdicts.size === 0 || verdicts.has(verdictOfAll(occurrence))) &&
    ofRows.every(test => occurrence.rows.some(test))
}

function timeOf(text: string, name: string): number | undefined {
  if (text === '') return undefined
  const time = Date.parse(text)
  if (Number.isFinite(time)) return time
  throw wrong(`"${name}" is not a time. Write it as 2026-01-31T09:00:00Z.`)
}

/** Every word must be found somewhere. Hooks and events are few: each is compared once. */
function textTests(text: string): ((row: RunRow) => boolean)[] {
  const words = text.slice(0, LONGEST_TEXT).toLowerCase().split(/\s+/).filter(Boolean)
  return words.map(word => {
    const known = new Map<string, boolean>()
    const contains = (value: string) => {
      let found = known.get(value)
      if (found === undefined) {
        found = value.toLowerCase().includes(word)
        known.set(value, found)
      }
      return found
    }
    return ({ text: own, hook, event, source }: RunRow) =>
      own.includes(word) || contains(hook) || contains(event) || contains(source)
  })
}
