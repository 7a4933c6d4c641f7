// A hook program: its handlers, and its response to the text of one payload. Never throws.
// - A program or handler that fails gets the response that `onError` names.
// - An invalid response denies, whatever `onError` is: it may have been a deny.

import type { EventName } from '../protocol/events.js'
import type { Payload } from '../protocol/payload.js'
import { isEvent, normalise } from './normalise.js'
import { render } from './render.js'
import type { HandlerResult } from './responses.js'
import { ROWS } from './rows.js'

type Fields = Record<string, unknown>

export type Handler<E extends EventName> = (
  payload: Payload<E>,
) => HandlerResult<E> | Promise<HandlerResult<E>>
export type Handlers = { readonly [E in EventName]?: Handler<E> }
export type OnError = 'deny' | 'allow'

export interface HookOptions {
  /** The response to an event that can be stopped when the program itself fails (default: deny). */
  readonly onError?: OnError
}

export interface ProgramResult {
  /** Printed on stdout. */
  readonly response: Fields
  /** Printed on stderr: why the program failed. */
  readonly problem: string | null
}

export interface HookProgram {
  readonly handlers: Handlers
  readonly onError: OnError
  /** Responds to the text of a payload, as read from stdin. */
  respondTo(text: string): Promise<ProgramResult>
  /** The result of a program that fails before it responds. */
  fail(problem: string): ProgramResult
}

/** Hosts read up to 1 MiB. */
const MAX_BYTES = 1_000_000

export function createProgram(handlers: Handlers, { onError = 'deny' }: HookOptions = {}): HookProgram {
  // Reported with the first payload: a program that ended here would deny nothing.
  const mistake = findMistake(handlers, onError)
  const names = Object.keys(handlers ?? {})
  const unknown = names.filter(name => !isEvent(name))
  const canStop =
    mistake !== null || unknown.length > 0 || names.some(name => isEvent(name) && ROWS[name].gate !== 'none')

  /** If the event is unknown, the response has the fields of all gates: each host reads its own. */
  const fail = (problem: string, event?: EventName, policy: OnError = onError): ProgramResult => {
    const gate = event ? ROWS[event].gate : canStop ? 'any' : 'none'
    if (policy === 'allow' || gate === 'none') return { response: {}, problem }
    const response = {
      ...(gate === 'continue' ? {} : { permission: 'deny' }),
      ...(gate === 'permission' ? {} : { continue: false }),
      user_message: `Blocked, because a hook failed: ${problem}`,
    }
    return { response, problem }
  }

  const respondTo = async (text: string): Promise<ProgramResult> => {
    if (mistake !== null) return fail(mistake)
    const sent = parsePayload(text)
    if (typeof sent === 'string') return fail(sent)
    const event = sent.hook_event_name
    if (event === undefined) return fail('the payload has no "hook_event_name".')
    if (!isEvent(event)) return fail(`there is no event ${quote(event)}.`)
    const handler = handlers[event] as ((payload: Fields) => unknown) | undefined
    if (typeof handler !== 'function') {
      // The handler for this event may be the one with the misspelt name.
      if (unknown.length > 0)
        return fail(`there is no event ${quote(unknown[0])}, and no handler for ${event}.`, event)
      const handled = names.join(', ') || 'no event'
      return { response: {}, problem: `this program has no handler for ${event}; it handles ${handled}.` }
    }
    const { payload, problems } = normalise(event, sent)
    if (problems.length > 0)
      return fail(`the payload of ${event} is incomplete: ${problems.join(', ')}.`, event)
    let result: unknown
    try {
      result = await handler(payload)
    } catch (error) {
      return fail(`the handler for ${event} failed: ${describeError(error)}`, event)
    }
    try {
      const response = render(event, result, sent)
      const length = Buffer.byteLength(JSON.stringify(response))
      if (length > MAX_BYTES) throw new RangeError(`it has ${length} bytes; hosts read 1,048,576`)
      return { response, problem: null }
    } catch (error) {
      return fail(`the response to ${event} is invalid: ${describeError(error)}`, event, 'deny')
    }
  }

  return { handlers, onError, respondTo, fail }
}

function findMistake(handlers: unknown, onError: unknown): string | null {
  if (typeof handlers !== 'object' || handlers === null) return 'hook() takes an object of handlers.'
  if (onError === 'deny' || onError === 'allow') return null
  return `onError is ${quote(onError)}; expected "deny" or "allow".`
}

/** The payload, or the reason why the text is none. */
function parsePayload(text: string): Fields | string {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (json.trim() === '') return 'the payload is empty; expected one JSON object on stdin.'
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
    const type = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
    return `the payload is ${type}; expected one JSON object.`
  } catch (error) {
    return `the payload is not JSON: ${describeError(error)}`
  }
}

/** One line of at most 300 characters. */
export function describeError(error: unknown): string {
  let text: string
  try {
    text = error instanceof Error ? error.message || error.name : String(error)
  } catch {
    text = 'an error without a message'
  }
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 299)}\u2026` : line
}

const quote = (value: unknown) =>
  JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value) ?? String(value)
