// Runs the steps of one agent event through the engine, one after the other, and merges their verdicts.
//
// The input that the agent runs is one that hooks have judged: `guard` repeats an event on a rewritten input, later
// steps receive the rewritten input, and a rewrite that the agent would read differently is denied.

import { HookBlockedError, type Hooks, HooksError, type Session } from '../index.js'
import { type EventName, findEvent } from '../protocol/events.js'
import { writeJson } from '../protocol/json.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Decision, Verdict } from '../protocol/verdict.js'
import { findForeignKey, toAgentKeys } from './tool-steps.js'
import { type AgentEvent, GATES, type Json, joinTexts, type Step, type StepsResult } from './types.js'

export interface StepContext {
  readonly hooks: Hooks
  readonly session: Session
  /** The questions from hooks so far, added by the host's onAsk. */
  readonly questions: readonly (string | null)[]
  readonly signal: AbortSignal
  readonly note: (text: string) => void
  /** The prompt is a follow-up of a hook or of the agent. */
  readonly isAutomatic: boolean
}

export const ABSTAIN: StepsResult = {
  decision: 'abstain',
  userMessage: null,
  agentMessage: null,
  input: null,
  context: null,
  followup: null,
  output: null,
}

export const denyWith = (text: string): StepsResult => ({
  ...ABSTAIN,
  decision: 'deny',
  userMessage: text,
  agentMessage: text,
})

/** For an agent that cannot rewrite a call: the model can make the rewritten one itself, which hooks then judge. */
export const denyRewritten = (result: StepsResult): StepsResult =>
  result.input === null || result.decision === 'deny'
    ? result
    : {
        ...result,
        decision: 'deny',
        input: null,
        userMessage: result.userMessage ?? 'A hook requires other arguments for this call.',
        agentMessage: joinTexts(
          `A hook requires other arguments for this call. Make it again with these arguments: ${writeJson(result.input)}`,
          result.agentMessage,
        ),
      }

export async function runSteps(event: AgentEvent, context: StepContext): Promise<StepsResult> {
  const { hooks, session } = context
  const { tool } = event
  if (event.refusal !== undefined && GATES[event.kind]?.some(name => isNeeded(name, hooks)))
    return denyWith(`${BLOCKED} ${event.refusal}`)
  let { input } = event
  let result = ABSTAIN
  for (const step of event.steps) {
    if (!isNeeded(step.event, hooks)) continue
    const taken = await runStep(step, input, context)
    if ('decision' in taken) {
      // The agent waits for this process anyway, and receives no context later.
      await session.settled()
      return { ...taken, context: joinTexts(result.context, session.takeContext()) }
    }
    if (taken.verdict === null) continue
    result = merge(result, taken.verdict, taken)
    const { updatedInput, updatedPrompt } = taken.verdict
    // Without it, the agent would send what the hook replaced.
    if (updatedPrompt !== null) return denyWith(REWRITTEN_PROMPT)
    if (!updatedInput) continue
    const foreign = tool && findForeignKey(tool, updatedInput)
    if (foreign)
      return denyWith(`${BLOCKED} A hook rewrote "${foreign[0]}", but hooks judge "${foreign[1]}".`)
    input = { ...input, ...updatedInput }
  }
  if (input === event.input) return result
  return { ...result, input: tool ? toAgentKeys(tool, input) : input }
}

const BLOCKED = 'Blocked, because hooks could not judge this.'
const REWRITTEN_PROMPT =
  'Blocked, because a hook rewrote this message, and this agent does not take another message from hooks.'

/** Events of the loop are fired without hooks too, because they change the session. */
const isNeeded = (event: EventName, hooks: Hooks): boolean => {
  const { gate, loop } = findEvent(event)!
  return (
    hooks.has(event) || loop !== undefined || (gate === 'permission' && hooks.catalog().missing.length > 0)
  )
}

interface StepVerdict {
  /** Null if hooks could not be called and the action proceeds. */
  readonly verdict: Verdict | null
  readonly granted?: boolean
  /** The question for the user. */
  readonly question?: string | null
}

/** A StepsResult is a deny. */
async function runStep(step: Step, input: Json, context: StepContext): Promise<StepVerdict | StepsResult> {
  const { session, questions, signal, isAutomatic } = context
  const payload = step.payload(input)
  if (payload === null) return { verdict: null }
  if (typeof payload === 'string') return failStep(step.event, payload, context)
  const options = { signal, automatic: isAutomatic }
  try {
    if (findEvent(step.event)!.gate === 'none') {
      return { verdict: await session.fire(step.event, payload as never, options) }
    }
    const asked = questions.length
    const { verdict, granted } = await session.guard(step.event, payload as never, options)
    return questions.length > asked ? { verdict, granted, question: questions.at(-1)! } : { verdict, granted }
  } catch (error) {
    if (HookBlockedError.isInstance(error)) {
      const { userMessage, agentMessage } = error as HookBlockedError
      return { ...ABSTAIN, decision: 'deny', userMessage, agentMessage }
    }
    if (!HooksError.isInstance(error)) throw error
    if (error.code === 'use/aborted') return failStep(step.event, 'The hooks took too long.', context, true)
    return failStep(step.event, error.message.replace(/^\[[\w/-]+\] /, ''), context)
  }
}

/** Hooks that cannot be called might have denied. */
function failStep(
  event: EventName,
  reason: string,
  { hooks, note }: StepContext,
  alwaysDeny = false,
): StepVerdict | StepsResult {
  note(`${event}: ${reason}`)
  const isGate = findEvent(event)!.gate !== 'none'
  if (!isGate || (!alwaysDeny && !hasGate(hooks, [event]))) return { verdict: null }
  return denyWith(`${BLOCKED} ${reason}`)
}

/**
 * Whether a hook could deny one of these events. `failClosed` does not matter: it is for a hook that was called and
 * failed. A payload that cannot be given to hooks must not pass them.
 */
export const hasGate = (hooks: Hooks, events: readonly EventName[]): boolean =>
  hooks.catalog().missing.length > 0 ||
  hooks
    .list()
    .some(
      ({ hook, state }) =>
        state !== 'untrusted' &&
        hook.mode !== 'observe' &&
        events.includes(hook.event) &&
        findEvent(hook.event)!.gate !== 'none',
    )

/** The strictest decision of all steps, as for the hooks of one event. */
function merge(before: StepsResult, verdict: Verdict, { question, granted }: StepVerdict): StepsResult {
  const decision: Decision = question !== undefined ? 'ask' : granted ? 'allow' : 'abstain'
  return {
    decision: STRICTNESS[decision] > STRICTNESS[before.decision] ? decision : before.decision,
    userMessage: joinTexts(before.userMessage, question ?? verdict.userMessage),
    agentMessage: joinTexts(before.agentMessage, verdict.agentMessage),
    input: null,
    context: joinTexts(before.context, verdict.additionalContext),
    followup: verdict.followupMessage ?? before.followup,
    output: verdict.updatedMcpToolOutput ?? before.output,
  }
}
