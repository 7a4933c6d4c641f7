// Several runs → one Verdict: failed runs become opinions, then opinions join. What hooks say that only observe is
// set apart first, so that nothing below can hear it.

import type { Permission } from '../protocol/answer.js'
import type { Event, Run, Skipped } from '../protocol/run.js'
import type { Denial, Observed, Opinion, Rewrite, Verdict } from '../protocol/verdict.js'
import { opinionOf } from './failure.js'
import { allOf, answersOf, flatten, joinAll, oneOf, texts, type Voice, variablesOf } from './merge.js'
import { overruled } from './overruled.js'
import { reasonFor } from './reason.js'
import { changesInput } from './rewrite.js'

export interface DecideInput {
  readonly event: Event
  /** The runs that count: those on the latest input, and that of the hook that wrote it. */
  readonly runs: readonly Run[]
  /** Of all rounds; without rewrites the same. */
  readonly all?: readonly Run[]
  readonly rewrites?: readonly Rewrite[]
  readonly skipped: readonly Skipped[]
  readonly durationMs: number
  /** Why the event must be denied whatever the hooks respond. */
  readonly denials: readonly Denial[]
}

export function decide(input: DecideInput): Verdict {
  const { event, runs: latest, all = latest, rewrites = NO_REWRITES, skipped, durationMs, denials } = input
  const { spec, profile } = event
  const { merge } = profile
  // Nearly always all are heard.
  const observed = all.some(isObserving) ? observedIn(all, event) : NONE
  const runs = observed.length > 0 ? latest.filter(run => !isObserving(run)) : latest
  const author = rewrites.at(-1)?.run
  const voices: Voice[] = runs.map(run => ({ run, opinion: opinionHere(run, event, author) }))
  const denied = spec.gate === 'permission' && denials.length > 0
  const deaf = !denied && losesContinue(event, runs)
  const opinion = denied ? 'deny' : deaf ? 'abstain' : joinAll(voices, merge.permission)
  const deciders = voices.filter(voice => voice.opinion === opinion).map(({ run }) => run)
  const said = deciders.map(run => reasonFor(run, event, opinion))
  const own = denied ? denials.map(({ message }) => message) : []
  const blocked = opinion === 'deny'
  const given = answersOf(runs)
  const variables = blocked ? [] : variablesOf(given)
  return Object.freeze({
    event: spec.name,
    profile: profile.name as Verdict['profile'],
    permission: spec.gate === 'permission' ? asPermission(opinion) : null,
    continue: spec.gate === 'continue' ? asContinue(opinion) : null,
    userMessage: texts([...own, ...said.map(({ user }) => user)]),
    agentMessage: texts([...own, ...said.map(({ agent }) => agent)]),
    // What is not going to happen cannot be changed, added to or gone on with.
    updatedInput: blocked
      ? null
      : merge.rewrites === 'judged'
        ? (rewrites.at(-1)?.keys ?? null)
        : oneOf(given, 'updated_input', merge.single),
    updatedMcpToolOutput: oneOf(given, 'updated_mcp_tool_output', merge.single),
    additionalContext: blocked ? null : allOf(given, 'additional_context', merge.context),
    followupMessage: oneOf(given, 'followup_message', merge.single),
    env: flatten(variables, merge.single),
    pluginPaths: oneOf(given, 'pluginPaths', merge.single),
    durationMs,
    runs: all,
    rewrites,
    denials: denied ? denials : [],
    skipped,
    overruled: overruled(voices, opinion, deaf, profile),
    deciders: blocked || opinion === 'ask' || opinion === 'allow' ? deciders : [],
    observed,
    variables,
  })
}

const NONE: readonly Observed[] = Object.freeze([])
const NO_REWRITES: readonly Rewrite[] = Object.freeze([])

/** An allow of a hook for an input that it would rewrite, and that is not taken, says nothing about this input. */
function opinionHere(run: Run, event: Event, author: Run | undefined): Opinion {
  const opinion = opinionOf(run, event)
  const isForAnother = opinion === 'allow' && run !== author && event.profile.merge.rewrites === 'judged'
  return isForAnother && changesInput(event, run) ? 'abstain' : opinion
}

const isObserving = ({ hook }: Run): boolean => hook.mode === 'observe'

const observedIn = (runs: readonly Run[], event: Event): readonly Observed[] =>
  runs.filter(isObserving).map(run => ({ run, opinion: opinionOf(run, event) }))

/** A known bug of one version: one hook that says nothing makes it forget another's `continue: false`. */
const losesContinue = ({ spec, profile }: Event, runs: readonly Run[]): boolean =>
  profile.merge.silenceLosesContinue &&
  spec.gate === 'continue' &&
  runs.some(({ exit }) => exit.code === 0 && exit.stdout.trim() === '')

const asPermission = (opinion: Opinion): Permission | null => (opinion === 'abstain' ? null : opinion)
const asContinue = (opinion: Opinion): boolean | null => (opinion === 'abstain' ? null : opinion !== 'deny')
