// The host's reaction to a verdict: proceed, ask or block, and the texts that go with it.

import { onAbort } from '../protocol/abort.js'
import type { SourceKind } from '../protocol/config.js'
import type { EventSpec } from '../protocol/events.js'
import type { LooseFacts } from '../protocol/payload.js'
import { isAsking, isBlocked, type Verdict } from '../protocol/verdict.js'

export interface Question {
  readonly verdict: Verdict
  readonly facts: LooseFacts
  /** What the hooks want the person to know. */
  readonly message: string | null
  readonly signal: AbortSignal | undefined
}

export type OnAsk = (question: Question) => boolean | Promise<boolean>

export interface EnforceOptions {
  readonly onAsk: OnAsk | undefined
  /** Sources whose allow is a grant. */
  readonly grants: readonly SourceKind[]
  readonly signal?: AbortSignal | undefined
}

export type Enforced =
  | { readonly kind: 'go'; readonly facts: LooseFacts; readonly granted: boolean }
  | { readonly kind: 'stop'; readonly texts: BlockTexts }

export async function enforce(
  spec: EventSpec,
  facts: LooseFacts,
  verdict: Verdict,
  options: EnforceOptions,
): Promise<Enforced> {
  const stop = (extra?: string): Enforced => ({
    kind: 'stop',
    texts: blockTexts(spec, facts, verdict, extra),
  })
  if (isBlocked(verdict)) return stop()
  const changed = withUpdatedInput(facts, verdict)
  if (isAsking(verdict)) {
    const { onAsk, signal } = options
    if (!onAsk) return stop('A hook wants a person to approve this, and nobody can be asked here.')
    const yes = await onAsk({ verdict, facts: changed, message: verdict.userMessage, signal })
    // Anything but a clear yes is a no.
    return yes === true
      ? { kind: 'go', facts: changed, granted: true }
      : stop('The person did not approve this.')
  }
  const granted =
    verdict.permission === 'allow' &&
    verdict.deciders.some(({ hook }) => options.grants.includes(hook.source))
  return { kind: 'go', facts: changed, granted }
}

/** `updated_input` replaces the keys it names. */
function withUpdatedInput(facts: LooseFacts, { updatedInput }: Verdict): LooseFacts {
  if (!updatedInput) return facts
  return { ...facts, tool_input: { ...(facts.tool_input as object | undefined), ...updatedInput } }
}

export interface BlockTexts {
  readonly user: string
  readonly agent: string
}

/** The texts that the user and the model see. They are in the row of the event, word for word as Cursor has them. */
export function blockTexts(spec: EventSpec, facts: LooseFacts, verdict: Verdict, extra?: string): BlockTexts {
  const { blocked } = spec
  const user = filled(blocked?.user ?? 'The action was blocked by a hook', facts)
  const agent = filled(blocked?.agent ?? blocked?.user ?? 'The action was blocked by a hook', facts)
  const agentText = say(agent, join(verdict.agentMessage ?? verdict.userMessage, extra))
  return {
    user: say(user, join(verdict.userMessage, extra)),
    agent: blocked?.agentNote ? `${agentText}\n${blocked.agentNote}` : agentText,
  }
}

const join = (said: string | null, extra: string | undefined): string | null =>
  extra ? (said ? `${extra}\n\n${said}` : extra) : said

/** A text that is a sentence of its own is followed by what was said; a beginning is completed by it. */
const say = (text: string, said: string | null): string => {
  if (!said) return text
  return /[.!?]$/.test(text) ? `${text} ${said}` : `${text}: ${said}`
}

/** Replaces `{file_path}` by that field. One pass, so that a value cannot insert another field. */
const filled = (text: string, facts: LooseFacts): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = facts[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  })

/** The facts of the event that follows a denial; undefined when no tool call was denied. */
export function denialFacts(
  spec: EventSpec,
  facts: LooseFacts,
  texts: BlockTexts,
): Record<string, unknown> | undefined {
  if (!spec.denies) return undefined
  return {
    tool_name: filled(spec.denies.tool, facts),
    tool_input: inputOf(spec.denies.input, facts),
    tool_use_id: facts.tool_use_id ?? facts.tool_call_id ?? '',
    cwd: typeof facts.cwd === 'string' ? facts.cwd : '',
    error_message: texts.agent,
    failure_type: 'permission_denied',
    duration: 0,
    is_interrupt: false,
  }
}

/** One field that is the input, or the fields that make it up. */
function inputOf(fields: readonly string[], facts: LooseFacts): unknown {
  if (fields.length === 1 && fields[0] === 'tool_input') return facts.tool_input ?? {}
  return Object.fromEntries(
    fields.filter(field => facts[field] !== undefined).map(field => [field, facts[field]]),
  )
}

/** True only when the answer is a clear yes. False when the signal aborts first. */
export type Ask = (question: () => boolean | Promise<boolean>, signal?: AbortSignal) => Promise<boolean>

/** The user is asked one question at a time: with two open, a yes may be meant for the other one. */
export function questionLine(): Ask {
  let last: Promise<unknown> = Promise.resolve()
  return async (question, signal) => {
    const before = last
    const answer = orAborted(
      before.then(() => !signal?.aborted && question()),
      signal,
    )
    // A question that was aborted does not let the next one start before its turn.
    last = Promise.allSettled([before, answer]).then(() => {})
    return (await answer) === true
  }
}

async function orAborted(answer: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  let forgetSignal = () => {}
  const aborted = new Promise<false>(resolve => {
    forgetSignal = onAbort(signal, () => resolve(false))
  })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    forgetSignal()
    answer.catch(() => {})
  }
}
