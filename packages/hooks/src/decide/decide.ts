// Several runs → one Verdict. Failed runs become decisions, decisions join, and the fields of the responses are merged.
// Hooks in audit mode are set apart first, so that nothing below depends on them.

import type { FailureCode } from '../protocol/codes.js'
import type { HookDefinition } from '../protocol/config.js'
import { freeze } from '../protocol/freeze.js'
import type { Profile } from '../protocol/profiles.js'
import { type Permission, RESPONSE_FIELDS, type Response } from '../protocol/response-fields.js'
import type { Event, Run, Skipped } from '../protocol/run.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Decision, Denial, Overruled, Rewrite, Verdict } from '../protocol/verdict.js'
import { type Given, isReplaced, join, type Merged, mergeFields, NOTHING, variablesOf } from './merge.js'

export interface DecideInput {
  readonly event: Event
  /** The runs that count: those on the latest input, and that of the hook that wrote it. */
  readonly runs: readonly Run[]
  /** Of all rounds; without rewrites the same. */
  readonly all?: readonly Run[]
  readonly rewrites?: readonly Rewrite[]
  /** Runs that respond with another input, which is not taken. Their allow is not for this input. */
  readonly rewriting?: readonly Run[]
  readonly skipped: readonly Skipped[]
  readonly durationMs: number
  /** Why the event must be denied whatever the hooks respond. */
  readonly denials: readonly Denial[]
}

interface Counted {
  readonly run: Run
  readonly decision: Decision
}

export function decide(input: DecideInput): Verdict {
  const { event, runs: latest, all = latest, rewrites = [], rewriting = [], skipped, durationMs } = input
  const { spec, profile } = event
  const observed = all.filter(isObserving).map(run => ({ run, decision: decisionOf(run, event) }))
  const runs = observed.length > 0 ? latest.filter(run => !isObserving(run)) : latest
  const counted = runs.map((run): Counted => {
    const decision = decisionOf(run, event)
    return { run, decision: decision === 'allow' && rewriting.includes(run) ? 'abstain' : decision }
  })
  const denials = spec.gate === 'none' ? [] : input.denials
  const isDropped = denials.length === 0 && losesContinue(event, runs)
  const decision = denials.length > 0 ? 'deny' : isDropped ? 'abstain' : joinAll(counted, profile.merge)
  const isBlocked = decision === 'deny'
  const given = [...denials.map(asGiven), ...counted.flatMap(one => givenBy(one, event, decision))]
  const merged = mergeFields(given, {
    rules: profile.merge,
    isBlocked,
    rewritten: rewrites.at(-1)?.keys ?? null,
  })
  const deciders = counted.filter(one => one.decision === decision).map(({ run }) => run)
  const fields = merged === NOTHING ? NOTHING_MERGED : freeze(inVerdictNames(merged))
  // Everything that the host acts on is frozen: listeners receive the same verdict. Without spreads: V8 keeps the fields of
  // such an object in a table, which takes ten times as long.
  return Object.freeze({
    event: spec.name,
    profile: profile.name as Verdict['profile'],
    permission: spec.gate === 'permission' ? asPermission(decision) : null,
    continue: spec.gate === 'continue' ? asContinue(decision) : null,
    userMessage: fields.userMessage,
    agentMessage: fields.agentMessage,
    updatedInput: fields.updatedInput,
    updatedPrompt: fields.updatedPrompt,
    updatedMcpToolOutput: fields.updatedMcpToolOutput,
    additionalContext: fields.additionalContext,
    followupMessage: fields.followupMessage,
    env: fields.env,
    pluginPaths: fields.pluginPaths,
    durationMs,
    runs: frozen(all),
    rewrites: frozen(rewrites),
    denials: frozen(denials),
    skipped: Object.freeze(skipped),
    overruled: frozen(findOverruled(counted, decision, isDropped, profile)),
    deciders: frozen(decision === 'abstain' ? [] : deciders),
    observed: frozen(observed),
    variables: frozen(isBlocked ? [] : variablesOf(given)),
  })
}

const NONE: readonly never[] = Object.freeze([])

const frozen = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : freeze([...list]))

/** What one run decides. This is the only place where a failure becomes a deny or is let pass. */
export function decisionOf({ hook, outcome }: Run, event: Event): Decision {
  const { gate } = event.spec
  if (gate === 'none' || outcome.kind === 'silent') return 'abstain'
  if (outcome.kind === 'failed')
    return blocksOnFailure(outcome.failure.code, hook, event) ? 'deny' : 'abstain'
  const value = outcome.answer[gate]
  return typeof value === 'boolean' ? (value ? 'allow' : 'deny') : (value ?? 'abstain')
}

/** The hook may have denied: its response cannot be understood, or the list of another source kept it from judging. */
const INVALID: ReadonlySet<FailureCode> = new Set(['run/invalid-json', 'run/bad-shape', 'run/not-allowed'])

function blocksOnFailure(code: FailureCode, hook: HookDefinition, { spec, profile }: Event): boolean {
  const rule = profile.failure[INVALID.has(code) ? 'invalid' : 'crash']
  if (rule === 'open') return false
  const failClosed = profile.config.keys.includes('failClosed') ? hook.failClosed : undefined
  // Only permission events block by default; the others block when the entry has failClosed: true.
  if (spec.gate === 'continue') return failClosed === true
  return rule === 'closed' || (failClosed ?? spec.failure === 'closed')
}

const isObserving = ({ hook }: Run): boolean => hook.mode === 'observe'

/** A known bug of one version: one hook that prints nothing makes it lose another's `continue: false`. */
const losesContinue = ({ spec, profile }: Event, runs: readonly Run[]): boolean =>
  profile.merge.silenceLosesContinue &&
  spec.gate === 'continue' &&
  runs.some(({ exit }) => exit.code === 0 && exit.stdout.trim() === '')

function joinAll(counted: readonly Counted[], { permission: rule }: Profile['merge']): Decision {
  const highest = counted.find(({ decision }) => decision !== 'abstain')?.run.hook.rank
  const counting = rule === 'strictest' ? counted : counted.filter(({ run }) => run.hook.rank === highest)
  return counting.reduce<Decision>((joined, { decision }) => join(joined, decision), 'abstain')
}

const asPermission = (decision: Decision): Permission | null => (decision === 'abstain' ? null : decision)
const asContinue = (decision: Decision): boolean | null =>
  decision === 'abstain' ? null : decision !== 'deny'

/** A reason that is no response of a hook comes before all sources. */
const asGiven = ({ message }: Denial): Given => ({ rank: -1, answer: messages(message), decides: true })

function givenBy({ run, decision }: Counted, event: Event, verdict: Decision): Given[] {
  const { hook, outcome } = run
  const decides = decision === verdict
  if (outcome.kind === 'answered') return [{ rank: hook.rank, answer: outcome.answer, decides }]
  // A failure that lets the action proceed is in the record; it is not a message.
  if (outcome.kind === 'silent' || !decides || verdict !== 'deny') return []
  return [{ rank: hook.rank, answer: messages(failureText(run, event)), decides }]
}

const messages = (text: string): Response => ({ user_message: text, agent_message: text })

/** Why the failure of a run blocks. */
function failureText({ hook, exit, outcome }: Run, { spec }: Event): string {
  const { code, message } = (outcome as Extract<Run['outcome'], { kind: 'failed' }>).failure
  if (code === 'run/invalid-json') {
    return (
      `Hook ${spec.name} returned stdout that is not valid JSON. The action was blocked for safety. ` +
      `Check Cursor Settings → Hooks and fix hook script: ${hook.name}`
    )
  }
  if (code === 'run/bad-shape') {
    return (
      `Hook ${spec.name} gave an answer that is not valid: ${message} The action was blocked for safety. ` +
      `Fix hook script: ${hook.name}`
    )
  }
  const line = exit.stderr.trimEnd().split('\n').at(-1)?.trim()
  const stderr = line ? ` stderr: ${line.slice(0, 200)}` : ''
  return `${spec.blocked?.failedClosed ?? 'Blocked because a hook failed closed.'} ${hook.name}: ${message}${stderr}`
}

/** `user_message` → `userMessage`. */
type VerdictName<K extends string> = K extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<VerdictName<Rest>>}`
  : K

/** The name of each field in a verdict: `user_message` is `userMessage`. */
const VERDICT_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(RESPONSE_FIELDS).map(name => [
    name,
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ]),
)

function inVerdictNames(fields: Merged) {
  const named: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) named[VERDICT_NAMES[name]!] = value
  return named as { [K in keyof Merged & string as VerdictName<K>]: Merged[K] }
}

const NOTHING_MERGED = Object.freeze(inVerdictNames(NOTHING))

/** Well-formed responses that are lost, in versions that do not take all hooks of an event into account. */
function findOverruled(
  counted: readonly Counted[],
  verdict: Decision,
  isDropped: boolean,
  { merge }: Profile,
): readonly Overruled[] {
  if (counted.length < 2 || (merge.permission === 'strictest' && merge.context === 'all')) return []
  const answers = counted.map(({ run: { outcome } }) => (outcome.kind === 'answered' ? outcome.answer : {}))
  return counted.flatMap(({ run, decision }, index) => {
    const found: string[] = []
    if (isDropped && decision === 'deny') found.push(DROPPED)
    if (!isDropped && STRICTNESS[decision] > STRICTNESS[verdict])
      found.push(`Its ${decision} is lost: this version takes only the highest source that decides.`)
    if (merge.context === 'last' && isReplaced(answers[index]!, answers.slice(index + 1)))
      found.push(NOT_LAST)
    return found.map(message => ({ run, note: { code: 'note/overruled' as const, message } }))
  })
}

const DROPPED =
  'Its continue: false is lost: this version loses it when another hook of the event prints nothing.'
const NOT_LAST = 'Its context is lost: this version keeps only that of the last hook.'
