// What may be expected of a verdict, in plain words. The methods of a case and the test files of the command say the
// same words and are held against a verdict by the same checks.

import type { Verdict } from '../protocol/verdict.js'
import { decisionOf, decisionWords, isFailed } from './decision.js'
import { inJson, isText, sayText, type Text, whereTheyDiffer } from './text.js'

export const VERDICT_WORDS = ['allow', 'deny', 'ask', 'none', 'blocked', 'proceeds'] as const
export type VerdictWord = (typeof VERDICT_WORDS)[number]

/** none: no hook failed. open, closed: one did, and the action goes on, or is stopped by it. any: not looked at. */
export const FAILED_WORDS = ['none', 'open', 'closed', 'any'] as const
export type FailedWord = (typeof FAILED_WORDS)[number]

export interface Expected {
  readonly verdict?: VerdictWord
  /** To the person or to the model, whichever fits. */
  readonly message?: Text
  readonly 'user message'?: Text
  readonly 'agent message'?: Text
  readonly context?: Text
  readonly followup?: Text
  /** Keys of the updated input; those that are not named may be anything. */
  readonly rewrite?: Readonly<Record<string, unknown>> | null
  readonly output?: Readonly<Record<string, unknown>> | null
  readonly env?: Readonly<Record<string, Text>> | null
  readonly plugins?: readonly string[] | null
  /** Milliseconds. */
  readonly within?: number
  /** Of every hook that ran. */
  readonly exit?: number
  /** Of all hooks together. */
  readonly stderr?: Text
  /** How many hooks ran, or a part of the command of each. */
  readonly ran?: number | readonly string[]
  readonly failed?: FailedWord
}

export type ExpectedWord = keyof Expected

/** What a check is made on: the verdict, and what the hooks wrote to stderr. */
export type Seen = Verdict & { readonly stderr: string; readonly problem?: string | null }

export interface Mismatch {
  /** `verdict`, `user message`, `rewrite.command`. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

type Check<K extends ExpectedWord> = (wanted: NonNullable<Expected[K]> | null, seen: Seen) => Mismatch[]

const CHECKS: { readonly [K in ExpectedWord]-?: Check<K> } = {
  verdict: (wanted, seen) => {
    const decision = decisionOf(seen)
    const fits =
      wanted === 'proceeds'
        ? decision === 'allow' || decision === 'none'
        : decision === (wanted === 'blocked' ? 'deny' : wanted)
    return fits ? [] : [{ what: 'verdict', expected: String(wanted), got: decisionWords(seen) }]
  },
  message: (wanted, { userMessage, agentMessage }) => {
    const fits = [userMessage, agentMessage].map(message => isText(wanted, message))
    // None is none to either.
    if (wanted === null ? fits.every(Boolean) : fits.some(Boolean)) return []
    return [{ what: 'message', expected: sayText(wanted), got: sayText(userMessage ?? agentMessage) }]
  },
  'user message': (wanted, { userMessage }) => text('user message', wanted, userMessage),
  'agent message': (wanted, { agentMessage }) => text('agent message', wanted, agentMessage),
  context: (wanted, { additionalContext }) => text('context', wanted, additionalContext),
  followup: (wanted, { followupMessage }) => text('followup', wanted, followupMessage),
  rewrite: (wanted, { updatedInput }) => byKey('rewrite', wanted, updatedInput, isSame),
  output: (wanted, { updatedMcpToolOutput }) => byKey('output', wanted, updatedMcpToolOutput, isSame),
  env: (wanted, { env }) => byKey('env', wanted, env, (rule, value) => isText(rule as Text, asText(value))),
  plugins: (wanted, { pluginPaths }) =>
    isSame(wanted, pluginPaths)
      ? []
      : [{ what: 'plugins', expected: sayValue(wanted), got: sayValue(pluginPaths) }],
  within: (wanted, { durationMs }) =>
    durationMs <= Number(wanted)
      ? []
      : [{ what: 'within', expected: `${wanted} ms`, got: `${Math.ceil(durationMs)} ms` }],
  exit: (wanted, { runs }) => {
    if (runs.length > 0 && runs.every(({ exit }) => exit.code === wanted)) return []
    const codes = runs.map(({ exit }) => String(exit.code ?? exit.signal ?? 'no exit code'))
    return [{ what: 'exit', expected: String(wanted), got: codes.join(', ') || NOBODY }]
  },
  stderr: (wanted, { stderr }) =>
    isText(wanted, stderr === '' ? null : stderr) || isText(wanted, stderr)
      ? []
      : [{ what: 'stderr', expected: sayText(wanted), got: sayText(stderr) }],
  ran: (wanted, { runs }) => {
    const names = runs.map(({ hook }) => hook.name)
    const fits = Array.isArray(wanted)
      ? wanted.length === names.length && wanted.every(part => names.some(name => name.includes(part)))
      : names.length === wanted
    return fits ? [] : [{ what: 'ran', expected: sayValue(wanted), got: names.join(', ') || NOBODY }]
  },
  failed: (wanted, seen) => {
    const failed = seen.runs.filter(isFailed)
    const problem = seen.problem ?? null
    const stopped = decisionOf(seen) === 'deny' && (problem !== null || seen.deciders.some(isFailed))
    const got = failed.length === 0 && problem === null ? 'none' : stopped ? 'closed' : 'open'
    if (wanted === 'any' || wanted === got) return []
    const why = problem ?? failed.map(({ hook }) => hook.name).join(', ')
    return [{ what: 'failed', expected: String(wanted), got: why === '' ? got : `${got} (${why})` }]
  },
}

export const EXPECTED_WORDS = Object.freeze(Object.keys(CHECKS) as ExpectedWord[])

/** Everything that is not as expected. That no hook failed is expected of every case that does not say otherwise. */
export function compare(expected: Expected, seen: Seen): Mismatch[] {
  const all: Expected = { failed: expected.exit ? 'any' : 'none', ...expected }
  return EXPECTED_WORDS.filter(word => all[word] !== undefined).flatMap(word =>
    (CHECKS[word] as Check<ExpectedWord>)(all[word] as never, seen),
  )
}

const NOBODY = 'no hook ran'

function text(what: string, wanted: Text, seen: string | null): Mismatch[] {
  if (isText(wanted, seen)) return []
  const [expected, got] = whereTheyDiffer(wanted, seen)
  return [{ what, expected, got }]
}

function byKey(
  what: string,
  wanted: Readonly<Record<string, unknown>> | null,
  got: Readonly<Record<string, unknown>> | null,
  fits: (wanted: unknown, got: unknown) => boolean,
): Mismatch[] {
  if (wanted === null || got === null) {
    return wanted === got ? [] : [{ what, expected: sayRules(wanted), got: sayValue(got) }]
  }
  return Object.entries(wanted).flatMap(([key, rule]) => {
    const value = Object.hasOwn(got, key) ? got[key] : undefined
    if (fits(rule, value)) return []
    return [{ what: `${what}.${key}`, expected: sayRule(rule), got: sayValue(value) }]
  })
}

const asText = (value: unknown) => (typeof value === 'string' ? value : null)
const sayValue = (value: unknown) => (value === undefined || value === null ? 'none' : inJson(value))
const sayRule = (rule: unknown) => (rule instanceof RegExp ? sayText(rule) : sayValue(rule))
const sayRules = (rules: Readonly<Record<string, unknown>> | null) =>
  rules === null
    ? 'none'
    : Object.entries(rules)
        .map(([key, rule]) => `${key} ${sayRule(rule)}`)
        .join(', ')

/** Equal as JSON is: the order of keys means nothing. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      key =>
        Object.hasOwn(b, key) &&
        isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  )
}
