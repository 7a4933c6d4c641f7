// Shared by the coverage tests: groups of cases, and the report of missing ones.

import { EVENT_SPECS } from '../packages/hooks/src/protocol/events.js'
import { type Case, SOURCE_NAMES, type SourceName } from './case.js'
import { decides, isDefault } from './classify.js'
import { allCases } from './load.js'

export const cases: readonly Case[] = allCases().map(({ case: one }) => one)
export const today = cases.filter(isDefault)
/** Cases with one hook and an outcome for the action. */
export const lone = today.filter(one => one.hooks.length === 1 && decides(one))
export const gates = EVENT_SPECS.filter(spec => spec.gate !== 'none').map(spec => spec.name)

export const sourcesOf = (one: Case): SourceName[] => one.hooks.map(hook => hook.source)
export const rank = (source: SourceName): number => SOURCE_NAMES.indexOf(source)

/** Descriptions of missing cases; a test expects none. */
export const missing = (wanted: readonly string[], seen: readonly (string | undefined)[]): string[] => {
  const set = new Set(seen)
  return wanted.filter(name => !set.has(name))
}

export const pairs = (a: readonly string[], b: readonly string[]): string[] =>
  a.flatMap(x => b.map(y => `${x} × ${y}`))
