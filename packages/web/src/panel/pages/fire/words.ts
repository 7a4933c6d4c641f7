// The groups of events, and the label of the button.

import type { Difference, EventInfo, Planned, Source } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { count } from '../../../words/number.js'

const GROUPS: readonly (readonly [gate: string, title: string])[] = [
  ['permission', 'Can be denied, or asked about'],
  ['continue', 'Can be stopped'],
  ['none', 'Notification only'],
]

export interface EventGroup {
  readonly title: string
  readonly events: readonly EventInfo[]
}

/** The events whose name or summary has all the words, grouped by what a hook can do there. */
export function grouped(events: readonly EventInfo[], text: string): EventGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = events.filter(({ name, summary }) => {
    const held = `${name} ${summary}`.toLowerCase()
    return words.every(word => held.includes(word))
  })
  const known = new Set(GROUPS.map(([gate]) => gate))
  return GROUPS.map(([gate, title]) => ({
    title,
    events: found.filter(event => event.gate === gate || (gate === 'none' && !known.has(event.gate))),
  })).filter(group => group.events.length > 0)
}

export const profileWords = (chosen: readonly string[], all: readonly string[]): string =>
  chosen.length === all.length && all.length > 1
    ? 'all'
    : chosen.length > 2
      ? `${chosen.length} of ${all.length}`
      : chosen.join(', ')

/** Run 3 hooks in 5 versions */
export function runWords(hooks: number, versions: number): string {
  const where = versions > 1 ? ` in ${count(versions, 'version')}` : ''
  return hooks === 0 ? `Fire${where}, no hook runs` : `Run ${count(hooks, 'hook')}${where}`
}

/** The default: the event with the most hooks, preferably one that can be denied. */
export function mostHooked(events: readonly EventInfo[], sources: readonly Source[]): EventInfo {
  const hooks = sources.flatMap(source => source.hooks)
  const rank = ({ name, gate }: EventInfo) =>
    hooks.filter(({ event }) => event === name).length * 2 + (gate === 'permission' ? 1 : 0)
  return events.reduce((best, event) => (rank(event) > rank(best) ? event : best))
}

/** Whether all runs were shown, with the same fingerprints. */
export const isAmong = (runs: readonly Planned[], shown: readonly Planned[]): boolean =>
  runs.every(run => shown.some(each => each.hookId === run.hookId && each.fingerprint === run.fingerprint))

/** Differing versions first, otherwise in the order of the versions. */
export const differingFirst = <T extends Pick<Difference, 'differs'>>(rows: readonly T[]): T[] => [
  ...rows.filter(({ differs }) => differs),
  ...rows.filter(({ differs }) => !differs),
]

/** 0.4 s, 12.3 s: while it runs. */
export const stopwatch = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
