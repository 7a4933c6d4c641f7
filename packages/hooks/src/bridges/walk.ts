// The steps of one occurrence through the engine, one after the other; what they came to.

import { HookBlockedError, type Hooks, HooksError, type Session } from '../index.js'
import { type EventName, findEvent } from '../protocol/events.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Opinion, Verdict } from '../protocol/verdict.js'
import type { Json, Occurrence, Outcome, Step } from './shape.js'
import { inTheirWords } from './tool.js'

export interface Walking {
  readonly hooks: Hooks
  readonly session: Session
  /** What hooks wanted to have asked so far, filled by the host's onAsk. */
  readonly questions: readonly (string | null)[]
  readonly signal: AbortSignal
  readonly note: (text: string) => void
  /** The prompt is the follow-up of a hook, not a word of the person. */
  readonly isAutomatic: boolean
}

export const NOTHING: Outcome = {
  opinion: 'abstain',
  userMessage: null,
  agentMessage: null,
  input: null,
  context: null,
  followup: null,
  output: null,
}

export const denied = (text: string): Outcome => ({
  ...NOTHING,
  opinion: 'deny',
  userMessage: text,
  agentMessage: text,
})

export async function walk(occurrence: Occurrence, walking: Walking): Promise<Outcome> {
  let { input } = occurrence
  let outcome = NOTHING
  for (const step of occurrence.steps) {
    if (!isWanted(step.event, walking.hooks)) continue
    const taken = await take(step, input, walking)
    if ('opinion' in taken) {
      // The agent waits for this process in any case, and reads nothing of it later.
      await walking.session.settled()
      return { ...taken, context: both(outcome.context, walking.session.takeContext()) }
    }
    if (taken.verdict === null) continue
    outcome = joined(outcome, taken.verdict, taken)
    if (taken.verdict.updatedInput) input = { ...input, ...taken.verdict.updatedInput }
  }
  if (input === occurrence.input) return outcome
  return { ...outcome, input: occurrence.tool ? inTheirWords(occurrence.tool, input) : input }
}

/** Events that move the conversation are fired even when nobody listens. */
const isWanted = (event: EventName, hooks: Hooks): boolean => {
  const { gate, loop } = findEvent(event)!
  return (
    hooks.has(event) || loop !== undefined || (gate === 'permission' && hooks.catalog().missing.length > 0)
  )
}

type Taken = Went | Outcome

interface Went {
  /** Null when hooks could not be asked, and that is no reason to stop. */
  readonly verdict: Verdict | null
  readonly granted?: boolean
  /** What the person shall be asked. */
  readonly question?: string | null
}

async function take(step: Step, input: Json, walking: Walking): Promise<Taken> {
  const { session, questions, signal, isAutomatic } = walking
  const facts = step.facts(input)
  if (typeof facts === 'string') return untold(step.event, facts, walking)
  const options = { signal, automatic: isAutomatic }
  try {
    if (findEvent(step.event)!.gate === 'none') {
      return { verdict: await session.fire(step.event, facts as never, options) }
    }
    const asked = questions.length
    const { verdict, granted } = await session.guard(step.event, facts as never, options)
    return questions.length > asked ? { verdict, granted, question: questions.at(-1)! } : { verdict, granted }
  } catch (error) {
    if (HookBlockedError.isInstance(error)) {
      const { userMessage, agentMessage } = error as HookBlockedError
      return { ...NOTHING, opinion: 'deny', userMessage, agentMessage }
    }
    if (!HooksError.isInstance(error)) throw error
    const isCut = error.code === 'use/aborted'
    return untold(step.event, isCut ? 'The hooks took too long.' : sentence(error.message), walking, isCut)
  }
  function sentence(message: string): string {
    return message.replace(/^\[[\w/-]+\] /, '')
  }
}

/** What cannot be told to hooks follows the rule for hooks that fail. */
function untold(event: EventName, why: string, { hooks, note }: Walking, always = false): Taken {
  note(`${event}: ${why}`)
  const isGate = findEvent(event)!.gate !== 'none'
  if (!isGate || (!always && !failsClosed(hooks, [event]))) return { verdict: null }
  return denied(`Blocked, because hooks could not be asked. ${why}`)
}

/** Whether a hook of one of these events would block if it failed. */
export const failsClosed = (hooks: Hooks, events: readonly EventName[]): boolean =>
  hooks.catalog().missing.length > 0 ||
  hooks.list().some(({ hook, state }) => {
    const { gate, failure } = findEvent(hook.event)!
    if (state === 'untrusted' || hook.mode === 'observe' || !events.includes(hook.event)) return false
    return gate === 'permission' ? (hook.failClosed ?? failure === 'closed') : hook.failClosed === true
  })

/** deny > ask > allow > no opinion, over the events of one call as over the hooks of one event. */
function joined(before: Outcome, verdict: Verdict, { question, granted }: Went): Outcome {
  const opinion: Opinion = question !== undefined ? 'ask' : granted ? 'allow' : 'abstain'
  return {
    opinion: STRICTNESS[opinion] > STRICTNESS[before.opinion] ? opinion : before.opinion,
    userMessage: both(before.userMessage, question ?? verdict.userMessage),
    agentMessage: both(before.agentMessage, verdict.agentMessage),
    input: null,
    context: both(before.context, verdict.additionalContext),
    followup: verdict.followupMessage ?? before.followup,
    output: verdict.updatedMcpToolOutput ?? before.output,
  }
}

const both = (a: string | null, b: string | null): string | null => (a && b ? `${a}\n\n${b}` : (a ?? b))
