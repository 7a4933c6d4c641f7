// Compares an observation with the expectations of a case. Only the keys that the case names are checked.

import { isDeepStrictEqual } from 'node:util'
import type { Expectation, TextExpectation } from './case.js'
import type { GuardObservation, HookObservation, Observation } from './observe.js'

/** Paths of this run, for `{project}` and the like in expectations. */
export type Places = Readonly<Record<string, string>>

/** The differences, one line each. */
export function differences(expected: Expectation, seen: Observation, places: Places): string[] {
  const out: string[] = []
  const wanted = fill(expected, places) as Expectation
  const report = (what: string, want: unknown, got: unknown) =>
    out.push(`${what}: expected ${show(want)}, got ${show(got)}`)
  for (const name of EQUAL) {
    const want = wanted[name]
    if (want !== undefined && !isDeepStrictEqual(want, seen[name])) report(name, want, seen[name])
  }
  for (const name of TEXTS) {
    if (wanted[name] !== undefined && !matchesText(wanted[name], seen[name]))
      report(name, wanted[name], seen[name])
  }
  for (const issue of wanted.issues ?? []) {
    if (!seen.issues?.includes(issue)) report('issues', issue, seen.issues)
  }
  if (wanted.at_once !== undefined && wanted.at_once !== seen.at_once) {
    report('at_once', wanted.at_once, seen.at_once)
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
  'updated_prompt',
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
  const report = (what: string, wanted: unknown, had: unknown) =>
    out.push(`${what}: expected ${show(wanted)}, got ${show(had)}`)
  for (const name of ['outcome', 'failure', 'permission', 'cwd'] as const) {
    if (want[name] !== undefined && want[name] !== got[name]) report(name, want[name], got[name])
  }
  for (const note of want.notes ?? []) if (!got.notes.includes(note)) report('notes', note, got.notes)
  if (want.payload && !contains(got.payload, want.payload)) report('payload', want.payload, got.payload)
  for (const name of want.payload_lacks ?? []) {
    if (!got.payload || name in got.payload) report(`payload.${name}`, 'absent', got.payload?.[name])
  }
  for (const [name, value] of Object.entries(want.env ?? {})) {
    if ((got.env?.[name] ?? null) !== value) report(`env.${name}`, value, got.env?.[name])
  }
  if (want.asked !== undefined && !matchesText(want.asked, got.asked ?? null))
    report('asked', want.asked, got.asked)
  if (want.fenced && !isFenced(got.asked ?? '')) report('fenced', true, got.asked)
  return out
}

function guardDifferences(
  want: NonNullable<Expectation['guard']>,
  got: GuardObservation | undefined,
): string[] {
  if (!got) return ['missing: the event was not enforced']
  const out: string[] = []
  const report = (what: string, wanted: unknown, had: unknown) =>
    out.push(`${what}: expected ${show(wanted)}, got ${show(had)}`)
  for (const name of ['goes', 'granted', 'code'] as const) {
    if (want[name] !== undefined && want[name] !== got[name]) report(name, want[name], got[name])
  }
  for (const name of ['user', 'agent', 'asked'] as const) {
    if (want[name] !== undefined && !matchesText(want[name], got[name])) report(name, want[name], got[name])
  }
  if (want.payload && !contains(got.payload, want.payload)) report('payload', want.payload, got.payload)
  if (want.follows) {
    const same =
      want.follows.length === got.follows.length &&
      want.follows.every(
        (one, at) =>
          one.event === got.follows[at]!.event && contains(got.follows[at]!.payload, one.payload ?? {}),
      )
    if (!same) report('follows', want.follows, got.follows)
  }
  return out
}

function matchesText(want: TextExpectation, got: string | null): boolean {
  if (want === null || typeof want === 'string') return want === got
  if (got === null) return false
  return (want.contains ?? []).every(one => got.includes(one)) && !want.lacks?.some(one => got.includes(one))
}

/** Objects must contain the named keys; other values must be equal. */
function contains(got: unknown, want: unknown): boolean {
  if (!isObject(want)) return isDeepStrictEqual(got, want)
  return isObject(got) && Object.entries(want).every(([key, value]) => contains(got[key], value))
}

/** The payload has its own line; the lines around it are not empty and do not occur in it. */
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
