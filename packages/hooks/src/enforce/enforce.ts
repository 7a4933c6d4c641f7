// The host's reaction to a verdict: proceed, ask or block, and the texts that go with it.

import { orAborted } from '../protocol/abort.js'
import type { SourceKind } from '../protocol/config.js'
import type { EventSpec } from '../protocol/events.js'
import { freeze } from '../protocol/freeze.js'
import type { AnyFields } from '../protocol/payload.js'
import { isAsking, isBlocked, type Verdict } from '../protocol/verdict.js'

export interface Question {
  readonly verdict: Verdict
  readonly fields: AnyFields
  /** The messages of the hooks for the user. */
  readonly message: string | null
  readonly signal: AbortSignal | undefined
}

/** A no with its reason, for the user and the model. */
export interface Refusal {
  readonly reason: string
}

/** Only true is a yes. */
export type OnAsk = (question: Question) => boolean | Refusal | Promise<boolean | Refusal>

export const CANNOT_ASK = 'A hook asks for approval, and this host cannot ask the user.'

export interface EnforceOptions {
  readonly onAsk: OnAsk | undefined
  /** Runs the hooks of permissionRequest before the user is asked. Undefined if there are none. */
  readonly request?: (fields: AnyFields) => Promise<Verdict> | undefined
  /** Sources whose allow is a grant. */
  readonly grants: readonly SourceKind[]
  readonly signal?: AbortSignal | undefined
}

export type Enforced =
  | { readonly kind: 'go'; readonly fields: AnyFields; readonly granted: boolean }
  | { readonly kind: 'stop'; readonly texts: BlockTexts; readonly verdict: Verdict }

export async function enforce(
  spec: EventSpec,
  fields: AnyFields,
  verdict: Verdict,
  options: EnforceOptions,
): Promise<Enforced> {
  const stop = (extra?: string): Enforced => ({
    kind: 'stop',
    texts: blockTexts(spec, fields, verdict, extra),
    verdict,
  })
  if (isBlocked(verdict)) return stop()
  const changed = withUpdates(fields, verdict)
  if (isAsking(verdict)) {
    const { onAsk, signal } = options
    if (!onAsk) return stop(CANNOT_ASK)
    const requested = await options.request?.({
      ...callOf(spec, changed),
      message: verdict.userMessage ?? undefined,
    })
    if (requested && isBlocked(requested))
      return { kind: 'stop', texts: blockTexts(spec, fields, requested), verdict: requested }
    const yes = await onAsk({ verdict, fields: changed, message: verdict.userMessage, signal })
    // Anything but a clear yes is a no.
    return yes === true
      ? { kind: 'go', fields: changed, granted: true }
      : stop(reasonOf(yes) ?? 'The user did not approve this.')
  }
  const granted =
    verdict.permission === 'allow' &&
    verdict.deciders.some(({ hook }) => options.grants.includes(hook.source))
  return { kind: 'go', fields: changed, granted }
}

/**
 * `updated_input` replaces the keys it names, and `updated_prompt` the message. Frozen: the user is asked about exactly the
 * input that then runs.
 */
function withUpdates(fields: AnyFields, { updatedInput, updatedPrompt }: Verdict): AnyFields {
  if (updatedPrompt !== null) return freeze({ ...fields, prompt: updatedPrompt })
  if (!updatedInput) return fields
  return freeze({ ...fields, tool_input: { ...(fields.tool_input as object | undefined), ...updatedInput } })
}

export interface BlockTexts {
  readonly user: string
  readonly agent: string
}

/** The texts that the user and the model see. They are in the row of the event, word for word as Cursor has them. */
export function blockTexts(spec: EventSpec, fields: AnyFields, verdict: Verdict, extra?: string): BlockTexts {
  const { blocked } = spec
  const user = filled(blocked?.user ?? 'The action was blocked by a hook', fields)
  const agent = filled(blocked?.agent ?? blocked?.user ?? 'The action was blocked by a hook', fields)
  const agentText = append(agent, join(verdict.agentMessage ?? verdict.userMessage, extra))
  return {
    user: append(user, join(verdict.userMessage, extra)),
    agent: blocked?.agentNote ? `${agentText}\n${blocked.agentNote}` : agentText,
  }
}

const join = (message: string | null, extra: string | undefined): string | null =>
  extra ? (message ? `${extra}\n\n${message}` : extra) : message

/** The message follows a complete sentence, and completes any other text. */
const append = (text: string, message: string | null): string => {
  if (!message) return text
  return /[.!?]$/.test(text) ? `${text} ${message}` : `${text}: ${message}`
}

/** Replaces `{file_path}` by that field. One pass, so that a value cannot insert another field. */
const filled = (text: string, fields: AnyFields): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  })

/** The tool call that the event belongs to. */
function callOf({ denies }: EventSpec, fields: AnyFields): Record<string, unknown> | undefined {
  return (
    denies && {
      tool_name: filled(denies.tool, fields),
      tool_input: inputOf(denies.input, fields),
      tool_use_id: fields.tool_use_id ?? fields.tool_call_id ?? '',
      cwd: typeof fields.cwd === 'string' ? fields.cwd : '',
    }
  )
}

/** The fields of the event that follows a denial; undefined when no tool call was denied. */
export function denialFields(
  spec: EventSpec,
  fields: AnyFields,
  texts: BlockTexts,
): Record<string, unknown> | undefined {
  const call = callOf(spec, fields)
  return (
    call && {
      ...call,
      error_message: texts.agent,
      failure_type: 'permission_denied',
      duration: 0,
      is_interrupt: false,
    }
  )
}

/** One field that is the input, or the fields that make it up. The input of a tool is an object, as JSON or a value. */
function inputOf(names: readonly string[], fields: AnyFields): unknown {
  const { tool_input: input = {} } = fields
  const isOnly = names.length === 1 && names[0] === 'tool_input'
  if (isOnly && (typeof input !== 'string' || isObjectText(input))) return input
  return Object.fromEntries(
    names.filter(name => fields[name] !== undefined).map(name => [name, fields[name]]),
  )
}

function isObjectText(text: string): boolean {
  try {
    return text.trimStart().startsWith('{') && typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** True only when the answer is a clear yes. False when the signal aborts first. */
export type Ask = (question: () => boolean | Promise<boolean>, signal?: AbortSignal) => Promise<boolean>

/** The user answers one question at a time: with two open, a yes may be meant for the other one. */
export function questionLine(): Ask {
  let last: Promise<unknown> = Promise.resolve()
  return async (question, signal) => {
    const before = last
    const answer = orAborted(
      before.then(() => !signal?.aborted && question()),
      signal,
    )
    // A cancelled question still holds its turn until its handler returns.
    last = Promise.allSettled([before, answer]).then(() => {})
    return (await answer) === true
  }
}

/** The same handler, whose questions wait for their turn. */
export const inLine =
  (ask: Ask, onAsk: OnAsk): OnAsk =>
  async question => {
    let answer: unknown
    const isYes = await ask(async () => {
      answer = await onAsk(question)
      return answer === true
    }, question.signal)
    const reason = reasonOf(answer)
    return isYes || (reason === undefined ? false : { reason })
  }

function reasonOf(answer: unknown): string | undefined {
  const reason: unknown = typeof answer === 'object' && answer !== null && 'reason' in answer && answer.reason
  return typeof reason === 'string' && reason !== '' ? reason : undefined
}
