// Holds what happened against what a case expects. Only what the case names is looked at.

import { isDeepStrictEqual } from 'node:util'
import type { Expectation, Words } from './case.js'
import type { GuardObservation, HookObservation, Observation } from './observe.js'

/** Paths of this run, for `{project}` and the like in expectations. */
export type Places = Readonly<Record<string, string>>

/** Everything that is not as expected, one line each. */
export function differences(expected: Expectation, seen: Observation, places: Places): string[] {
  const out: string[] = []
  const wanted = fill(expected, places) as Expectation
  const say = (what: string, want: unknown, got: unknown) =>
    out.push(`${what}: expected ${show(want)}, got ${show(got)}`)
  for (const name of EQUAL) {
    const want = wanted[name]
    if (want !== undefined && !isDeepStrictEqual(want, seen[name])) say(name, want, seen[name])
  }
  for (const name of TEXTS) {
    if (wanted[name] !== undefined && !isSaid(wanted[name], seen[name])) say(name, wanted[name], seen[name])
  }
  for (const issue of wanted.issues ?? []) {
    if (!seen.issues?.includes(issue)) say('issues', issue, seen.issues)
  }
  if (wanted.at_once !== undefined && wanted.at_once !== seen.at_once) {
    say('at_once', wanted.at_once, seen.at_once)
  }
  wanted.hooks?.forEach((want, place) => {
    if (want) out.push(...hookDifferences(want, seen.hooks.get(place)).map(line => `hooks[${place}].${line}`))
  })
  if (wanted.guard) out.push(...guardDifferences(wanted.guard, seen.guard).map(line => `guard.${line}`))
  return out
}

const EQUAL = [
  'permission',
  'continue',
  'proceeds',
  'updated_input',
  'updated_mcp_tool_output',
  'env',
  'plugin_paths',
  'ran',
  'rewritten_by',
  'skipped',
  'decided_by',
] as const
const TEXTS = ['user_message', 'agent_message', 'additional_context', 'followup_message'] as const

type HookExpectation = NonNullable<NonNullable<Expectation['hooks']>[number]>

function hookDifferences(want: HookExpectation, got: HookObservation | undefined): string[] {
  if (!got) return ['ran: it did not run']
  const out: string[] = []
  const say = (what: string, wanted: unknown, had: unknown) =>
    out.push(`${what}: expected ${show(wanted)}, got ${show(had)}`)
  for (const name of ['outcome', 'failure', 'permission', 'cwd'] as const) {
    if (want[name] !== undefined && want[name] !== got[name]) say(name, want[name], got[name])
  }
  for (const note of want.notes ?? []) if (!got.notes.includes(note)) say('notes', note, got.notes)
  if (want.payload && !holds(got.payload, want.payload)) say('payload', want.payload, got.payload)
  for (const name of want.payload_lacks ?? []) {
    if (!got.payload || name in got.payload) say(`payload.${name}`, 'absent', got.payload?.[name])
  }
  for (const [name, value] of Object.entries(want.env ?? {})) {
    if ((got.env?.[name] ?? null) !== value) say(`env.${name}`, value, got.env?.[name])
  }
  if (want.asked !== undefined && !isSaid(want.asked, got.asked ?? null)) say('asked', want.asked, got.asked)
  if (want.fenced && !isFenced(got.asked ?? '')) say('fenced', true, got.asked)
  return out
}

function guardDifferences(
  want: NonNullable<Expectation['guard']>,
  got: GuardObservation | undefined,
): string[] {
  if (!got) return ['missing: the event was not enforced']
  const out: string[] = []
  const say = (what: string, wanted: unknown, had: unknown) =>
    out.push(`${what}: expected ${show(wanted)}, got ${show(had)}`)
  for (const name of ['goes', 'granted', 'code'] as const) {
    if (want[name] !== undefined && want[name] !== got[name]) say(name, want[name], got[name])
  }
  for (const name of ['user', 'agent', 'asked'] as const) {
    if (want[name] !== undefined && !isSaid(want[name], got[name])) say(name, want[name], got[name])
  }
  if (want.facts && !holds(got.facts, want.facts)) say('facts', want.facts, got.facts)
  if (want.follows) {
    const same =
      want.follows.length === got.follows.length &&
      want.follows.every(
        (one, at) =>
          one.event === got.follows[at]!.event && holds(got.follows[at]!.payload, one.payload ?? {}),
      )
    if (!same) say('follows', want.follows, got.follows)
  }
  return out
}

function isSaid(want: Words, got: string | null): boolean {
  if (want === null || typeof want === 'string') return want === got
  if (got === null) return false
  return (want.contains ?? []).every(one => got.includes(one)) && !want.lacks?.some(one => got.includes(one))
}

/** Objects hold what is named; everything else is equal. */
function holds(got: unknown, want: unknown): boolean {
  if (!isObject(want)) return isDeepStrictEqual(got, want)
  return isObject(got) && Object.entries(want).every(([key, value]) => holds(got[key], value))
}

/** The payload has a line of its own; the lines around it are not empty, and nothing inside could be one of them. */
function isFenced(asked: string): boolean {
  const lines = asked.split('\n')
  const at = lines.findIndex(line => line.startsWith('{') && line.includes('"hook_event_name"'))
  const [before, data, after] = [lines[at - 1]?.trim(), lines[at], lines[at + 1]?.trim()]
  return Boolean(before && data && after && !data.includes(before) && !data.includes(after))
}

function fill(value: unknown, places: Places): unknown {
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (all, name) => places[name] ?? all)
  if (Array.isArray(value)) return value.map(one => fill(one, places))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, places)]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}
