// The expectations that a test can have of a verdict. The methods of a case and the test files of the command use the
// same names and the same checks.

import { eventsUnder, findProfile } from '../protocol/profiles.js'
import type { Run } from '../protocol/run.js'
import { isBlocked, type Verdict } from '../protocol/verdict.js'
import { describeDifference, describeText, matchesText, type Text, toShortJson } from './text.js'

export const EXPECTED_VERDICTS = ['allow', 'deny', 'ask', 'none', 'blocked', 'proceeds'] as const
export type ExpectedVerdict = (typeof EXPECTED_VERDICTS)[number]

/** none: no hook failed. open: one failed, and the action proceeds. closed: one failed and stopped it. any: no check. */
export const EXPECTED_FAILURES = ['none', 'open', 'closed', 'any'] as const
export type ExpectedFailure = (typeof EXPECTED_FAILURES)[number]

export interface Expected {
  readonly verdict?: ExpectedVerdict
  /** The message to the user or the one to the model. */
  readonly message?: Text
  readonly 'user message'?: Text
  readonly 'agent message'?: Text
  readonly context?: Text
  readonly followup?: Text
  /** Keys of the updated input; other keys are not checked. */
  readonly rewrite?: Readonly<Record<string, unknown>> | null
  /** The message that is sent instead of that of the user. */
  readonly prompt?: Text
  readonly output?: Readonly<Record<string, unknown>> | null
  readonly env?: Readonly<Record<string, Text>> | null
  readonly plugins?: readonly string[] | null
  /** Milliseconds. */
  readonly within?: number
  /** Of every hook that ran. */
  readonly exit?: number
  /** Of all hooks. */
  readonly stderr?: Text
  /** The number of hooks that ran, or a part of the command of each. */
  readonly ran?: number | readonly string[]
  readonly failed?: ExpectedFailure
}

export type ExpectationName = keyof Expected

/** What is checked: the verdict, and the stderr of its hooks. */
export type Observation = Verdict & { readonly stderr: string }

export interface Mismatch {
  /** For example `verdict`, `user message` or `rewrite.command`. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

type Check<K extends ExpectationName> = (
  wanted: NonNullable<Expected[K]> | null,
  observed: Observation,
) => Mismatch[]

const CHECKS: { readonly [K in ExpectationName]-?: Check<K> } = {
  verdict: (wanted, observed) => {
    const decision = decisionOf(observed)
    const fits =
      wanted === 'proceeds'
        ? decision === 'allow' || decision === 'none'
        : decision === (wanted === 'blocked' ? 'deny' : wanted)
    return fits ? [] : [{ what: 'verdict', expected: String(wanted), got: describeDecision(observed) }]
  },
  message: (wanted, { userMessage, agentMessage }) => {
    const fits = [userMessage, agentMessage].map(message => matchesText(wanted, message))
    // null means that neither has one.
    if (wanted === null ? fits.every(Boolean) : fits.some(Boolean)) return []
    return [
      { what: 'message', expected: describeText(wanted), got: describeText(userMessage ?? agentMessage) },
    ]
  },
  'user message': (wanted, { userMessage }) => text('user message', wanted, userMessage),
  'agent message': (wanted, { agentMessage }) => text('agent message', wanted, agentMessage),
  context: (wanted, { additionalContext }) => text('context', wanted, additionalContext),
  followup: (wanted, { followupMessage }) => text('followup', wanted, followupMessage),
  rewrite: (wanted, { updatedInput }) => compareKeys('rewrite', wanted, updatedInput, isEqual),
  prompt: (wanted, { updatedPrompt }) => text('prompt', wanted, updatedPrompt),
  output: (wanted, { updatedMcpToolOutput }) => compareKeys('output', wanted, updatedMcpToolOutput, isEqual),
  env: (wanted, { env }) =>
    compareKeys('env', wanted, env, (rule, value) => matchesText(rule as Text, asText(value))),
  plugins: (wanted, { pluginPaths }) =>
    isEqual(wanted, pluginPaths)
      ? []
      : [{ what: 'plugins', expected: describeValue(wanted), got: describeValue(pluginPaths) }],
  within: (wanted, { durationMs }) =>
    durationMs <= Number(wanted)
      ? []
      : [{ what: 'within', expected: `${wanted} ms`, got: `${Math.ceil(durationMs)} ms` }],
  exit: (wanted, { runs }) => {
    if (runs.length > 0 && runs.every(({ exit }) => exit.code === wanted)) return []
    const codes = runs.map(({ exit }) => String(exit.code ?? exit.signal ?? 'no exit code'))
    return [{ what: 'exit', expected: String(wanted), got: codes.join(', ') || NO_RUN }]
  },
  stderr: (wanted, { stderr }) =>
    matchesText(wanted, stderr === '' ? null : stderr) || matchesText(wanted, stderr)
      ? []
      : [{ what: 'stderr', expected: describeText(wanted), got: describeText(stderr) }],
  ran: (wanted, { runs }) => {
    const names = runs.map(({ hook }) => hook.name)
    const fits = Array.isArray(wanted)
      ? wanted.length === names.length && wanted.every(part => names.some(name => name.includes(part)))
      : names.length === wanted
    return fits ? [] : [{ what: 'ran', expected: describeValue(wanted), got: names.join(', ') || NO_RUN }]
  },
  failed: (wanted, observed) => {
    const failed = observed.runs.filter(isFailed)
    const isStopped = decisionOf(observed) === 'deny' && observed.deciders.some(isFailed)
    const got = failed.length === 0 ? 'none' : isStopped ? 'closed' : 'open'
    if (wanted === 'any' || wanted === got) return []
    const why = failed.map(({ hook }) => hook.name).join(', ')
    return [{ what: 'failed', expected: String(wanted), got: why === '' ? got : `${got} (${why})` }]
  },
}

export const EXPECTATION_NAMES = Object.freeze(Object.keys(CHECKS) as ExpectationName[])

/** All mismatches. Every case expects that no hook fails, unless it expects a failure or an exit code. */
export function compare(expected: Expected, observed: Observation): Mismatch[] {
  const all: Expected = { failed: expected.exit ? 'any' : 'none', ...expected }
  return EXPECTATION_NAMES.filter(name => all[name] !== undefined).flatMap(name =>
    (CHECKS[name] as Check<ExpectationName>)(all[name] as never, observed),
  )
}

const NO_RUN = 'no hook ran'

function text(what: string, wanted: Text, observed: string | null): Mismatch[] {
  if (matchesText(wanted, observed)) return []
  const [expected, got] = describeDifference(wanted, observed)
  return [{ what, expected, got }]
}

function compareKeys(
  what: string,
  wanted: Readonly<Record<string, unknown>> | null,
  got: Readonly<Record<string, unknown>> | null,
  fits: (wanted: unknown, got: unknown) => boolean,
): Mismatch[] {
  if (wanted === null || got === null) {
    return wanted === got ? [] : [{ what, expected: describeRules(wanted), got: describeValue(got) }]
  }
  return Object.entries(wanted).flatMap(([key, rule]) => {
    const value = Object.hasOwn(got, key) ? got[key] : undefined
    if (fits(rule, value)) return []
    return [{ what: `${what}.${key}`, expected: describeRule(rule), got: describeValue(value) }]
  })
}

const asText = (value: unknown) => (typeof value === 'string' ? value : null)
const describeValue = (value: unknown) =>
  value === undefined || value === null ? 'none' : toShortJson(value)
const describeRule = (rule: unknown) => (rule instanceof RegExp ? describeText(rule) : describeValue(rule))
const describeRules = (rules: Readonly<Record<string, unknown>> | null) =>
  rules === null
    ? 'none'
    : Object.entries(rules)
        .map(([key, rule]) => `${key} ${describeRule(rule)}`)
        .join(', ')

/** Equality of JSON values: the order of keys does not matter. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      key =>
        Object.hasOwn(b, key) &&
        isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  )
}

// ——— decisions ———

export type Decision = 'allow' | 'deny' | 'ask' | 'none'

export function decisionOf(verdict: Verdict): Decision {
  if (isBlocked(verdict)) return 'deny'
  return verdict.permission ?? (verdict.continue ? 'allow' : 'none')
}

/** Whether the hook crashed, timed out, printed an invalid response or reported an error. */
export const isFailed = ({ outcome }: Run): boolean =>
  outcome.kind !== 'silent' && outcome.failure !== undefined

export function describeDecision(verdict: Verdict): string {
  const decision = decisionOf(verdict)
  return decision === 'none' ? `none: ${reasonOfNone(verdict)}` : decision
}

function reasonOfNone({ event, profile, runs, skipped }: Verdict): string {
  const row = eventsUnder(findProfile(profile)!).get(event)
  if (!row) return `${profile} does not have ${event}`
  if (runs.length === 0) {
    if (skipped.length === 0) return `no hook is configured for ${event}`
    return skipped.length === 1 ? 'the hook was skipped' : `all ${skipped.length} hooks were skipped`
  }
  if (row.gate === 'none') return `${event} cannot be stopped`
  const failed = runs.find(isFailed)
  return failed ? `${failed.hook.name} failed` : 'all hooks abstained'
}
