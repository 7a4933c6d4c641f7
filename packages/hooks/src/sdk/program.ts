// One hook program: which events it handles, and what it says to the text of one payload. Never throws: whatever goes
// wrong becomes the answer of the declared policy, and a line that says what it was.

import type { EventName } from '../protocol/events.js'
import type { Payload } from '../protocol/payload.js'
import { isSaid, type Reply } from './answers.js'
import { isEvent, normalise } from './normal.js'
import { render } from './render.js'
import { ROWS } from './rows.js'

type Fields = Record<string, unknown>

export type Handler<E extends EventName> = (payload: Payload<E>) => Reply<E> | Promise<Reply<E>>
export type Handlers = { readonly [E in EventName]?: Handler<E> }
export type OnError = 'deny' | 'allow'

export interface HookOptions {
  /** What is answered when the program itself fails. Deny unless told, on events that can be stopped. */
  readonly onError?: OnError
}

export interface Spoken {
  /** What is printed. */
  readonly answer: Fields
  /** What is said on stderr. */
  readonly problem: string | null
}

export interface HookProgram {
  readonly handlers: Handlers
  readonly onError: OnError
  /** What the program says to the text that it reads on stdin. */
  answerTo(text: string): Promise<Spoken>
  /** What it says when it cannot read, or was ended before it had answered. */
  giveUp(problem: string): Spoken
}

/** Hosts read up to 1 MiB; past it the answer would be lost. */
const LONGEST = 1_000_000

export function programOf(handlers: Handlers, { onError = 'deny' }: HookOptions = {}): HookProgram {
  // Kept until there is a payload to answer: a program that ended here would let everything through.
  const mistake = mistakeIn(handlers, onError)
  const names = Object.keys(handlers ?? {})
  const strange = names.filter(name => !isEvent(name))
  const canStop =
    mistake !== null || strange.length > 0 || names.some(name => isEvent(name) && ROWS[name].gate !== 'none')

  /** Without an event, the words of all of them: each host reads those it knows. */
  const failed = (problem: string, event?: EventName, reply?: unknown): Spoken => {
    const gate = event ? ROWS[event].gate : canStop ? 'any' : 'none'
    const user_message = `A hook failed, so this was blocked: ${problem}`
    // What the handler was able to say against it holds, whatever the policy.
    const permission = onError === 'allow' ? strictest(reply, event) : 'deny'
    if (permission === undefined || gate === 'none') return { answer: {}, problem }
    const stops = {
      ...(gate === 'continue' ? {} : { permission }),
      ...(gate === 'permission' ? {} : { continue: false }),
    }
    return { answer: { ...stops, user_message }, problem }
  }

  const answer = async (text: string): Promise<Spoken> => {
    if (mistake !== null) return failed(mistake)
    const given = parse(text)
    if (typeof given === 'string') return failed(given)
    const event = given.hook_event_name
    if (event === undefined) return failed('the payload has no "hook_event_name".')
    if (!isEvent(event)) return failed(`there is no event ${quoted(event)}.`)
    const handler = handlers[event] as ((payload: Fields) => unknown) | undefined
    if (typeof handler !== 'function') {
      // The handler that was meant for this event may be the one whose name is wrong.
      if (strange.length > 0)
        return failed(`there is no event ${quoted(strange[0])}, and no handler of ${event}.`, event)
      return {
        answer: {},
        problem: `this program has no handler of ${event}; it handles ${names.join(', ') || 'nothing'}.`,
      }
    }
    const { payload, problems } = normalise(event, given)
    if (problems.length > 0)
      return failed(`the payload of ${event} is not whole: ${problems.join(', ')}.`, event)
    let reply: unknown
    try {
      reply = await handler(payload)
      const answer = render(event, reply, given)
      const length = Buffer.byteLength(JSON.stringify(answer))
      if (length > LONGEST)
        return failed(`the answer to ${event} has ${length} bytes; hosts read 1,048,576.`, event, reply)
      return { answer, problem: null }
    } catch (error) {
      return failed(`the handler of ${event} failed: ${said(error)}`, event, reply)
    }
  }

  return { handlers, onError, answerTo: answer, giveUp: failed }
}

function mistakeIn(handlers: unknown, onError: unknown): string | null {
  if (typeof handlers !== 'object' || handlers === null) return 'hook() takes an object of handlers.'
  if (onError === 'deny' || onError === 'allow') return null
  return `onError is ${quoted(onError)}; expected "deny" or "allow".`
}

/** Of an answer that cannot be written as it is. */
function strictest(reply: unknown, event: EventName | undefined): 'deny' | 'ask' | undefined {
  const words = [reply].flat().map(each => (isSaid(each) ? each.word : undefined))
  if (words.includes('deny')) return 'deny'
  return event && ROWS[event].ask === 'asks' && words.includes('ask') ? 'ask' : undefined
}

/** A string is what is wrong with it. */
function parse(text: string): Fields | string {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (json.trim() === '') return 'the payload is empty; one JSON object is expected on stdin.'
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
    return `the payload is ${Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`}; one JSON object is expected.`
  } catch (error) {
    return `the payload is not JSON: ${said(error)}`
  }
}

/** One line, and not the whole payload again. */
export const said = (error: unknown): string => {
  let text: string
  try {
    text = error instanceof Error ? error.message || error.name : String(error)
  } catch {
    text = 'something that cannot be put into words'
  }
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 299)}\u2026` : line
}

const quoted = (value: unknown) =>
  JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value) ?? String(value)
