// Client → server: what a message of the client becomes. Tool calls pass the hooks; nearly all else is handed on.

import { beforeCall, failedCall, isGated, type Passed, type ServerInfo, type Tool } from './call.js'
import type { Opened } from './engine.js'
import { membersOf, textOf } from './json-text.js'
import {
  CODE,
  errorAnswer,
  isObject,
  isRequest,
  keyOf,
  type Message,
  memberOf,
  resultAnswer,
} from './message.js'
import { CALL, toolOf, withArguments } from './tool.js'
import type { Call, WaitingRoom } from './waiting.js'

export const GREETING = 'initialize'

export interface Toward {
  readonly waiting: WaitingRoom
  /** Opens the engine with the first message that needs it. */
  open(greeting?: Message): Promise<Opened>
  serverInfo(): ServerInfo
  /** Whether the message is an answer to a question of the gateway's own. */
  takesAnswer(message: Message): boolean
  /** Work that is waited for at the end. */
  homeward(work: Promise<unknown>): void
  note(text: string): void
}

/** What is to be sent on; undefined for nothing. Answers that the server will not give go to `answer`. */
type Sent = string | undefined

export function toward(gate: Toward, message: Message, answer: (text: string) => void): Sent | Promise<Sent> {
  if (message.method === undefined) return gate.takesAnswer(message) ? undefined : message.text
  const handle = HANDLERS.get(message.method)
  return handle ? handle(gate, message, answer) : message.text
}

type Handler = (gate: Toward, message: Message, answer: (text: string) => void) => Sent | Promise<Sent>

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  [GREETING, greet],
  [CALL, call],
  ['notifications/cancelled', cancel],
  ['tasks/result', fetchTask],
])

async function greet(gate: Toward, message: Message, answer: (text: string) => void): Promise<Sent> {
  try {
    const { blocked } = await gate.open(message)
    if (blocked !== null) {
      answer(errorAnswer(message.id, CODE.gone, blocked))
      return undefined
    }
  } catch (error) {
    return refuse(gate, message, answer, error)
  }
  if (isRequest(message)) gate.waiting.set(message.key, { kind: 'greeting' })
  return message.text
}

async function call(gate: Toward, message: Message, answer: (text: string) => void): Promise<Sent> {
  const { waiting } = gate
  const { id } = message
  const tool = toolOf(message)
  if (!tool) {
    answer(
      errorAnswer(
        id,
        CODE.params,
        `${CALL} needs one name, a string, and arguments that are an object in which no key is repeated.`,
      ),
    )
    return undefined
  }
  // Without an id nobody awaits an answer, but the server may still do it.
  const key = isRequest(message) ? message.key : undefined
  if (key !== undefined && waiting.has(key)) {
    answer(errorAnswer(id, CODE.request, `The id ${id} is in use by a request that is not answered yet.`))
    return undefined
  }
  const isTask = isObject(message.params?.task)
  const abort = new AbortController()
  const call: Call = { id, isTask, abort, tool, sentAt: undefined }
  waiting.set(key, { kind: 'call', call })
  try {
    const opened = await gate.open()
    const passed = await askHooks(gate, opened, tool, abort.signal)
    if (abort.signal.aborted) return undefined
    if (passed.kind === 'denied') {
      waiting.take(key)
      if (id !== undefined) answer(denial(id, passed.text))
      return undefined
    }
    const isSame = passed.tool === tool
    call.tool = passed.tool
    call.sentAt = performance.now()
    return isSame ? message.text : withArguments(message, passed.tool.argumentsText)
  } catch (error) {
    if (abort.signal.aborted) return undefined
    waiting.take(key)
    return refuse(gate, message, answer, error)
  }
}

async function askHooks(
  gate: Toward,
  { hooks, session, blocked }: Opened,
  tool: Tool,
  signal: AbortSignal,
): Promise<Passed> {
  if (blocked !== null) return { kind: 'denied', text: blocked }
  return isGated(hooks) ? beforeCall(session, tool, gate.serverInfo(), signal) : { kind: 'go', tool }
}

const denial = (id: string, text: string): string =>
  resultAnswer(id, { content: [{ type: 'text', text }], isError: true })

/** Hooks that cannot be asked cannot have agreed. */
function refuse(gate: Toward, { id }: Message, answer: (text: string) => void, error: unknown): undefined {
  const words = `The hooks could not be asked: ${(error as Error).message}`
  gate.note(words)
  if (id !== undefined) answer(errorAnswer(id, CODE.inside, words))
  return undefined
}

/** A call that the server never saw needs no cancelling there. */
function cancel(gate: Toward, message: Message): Sent {
  const { waiting } = gate
  const params = memberOf(message, 'params')
  if (!params || !message.params) return message.text
  const place = membersOf(message.text, params.from).findLast(({ key }) => key === 'requestId')
  const key = place ? keyOf(textOf(message.text, place)) : ''
  const found = waiting.peek(key)
  if (found?.kind !== 'call') return message.text
  const { call } = found
  const { reason } = message.params
  if (call.sentAt === undefined) waiting.take(key)
  else waiting.set(key, { kind: 'cancelled' })
  call.abort.abort()
  gate.homeward(tellCancelled(gate, call, typeof reason === 'string' ? reason : ''))
  return call.sentAt === undefined ? undefined : message.text
}

async function tellCancelled(gate: Toward, { tool, sentAt }: Call, reason: string): Promise<void> {
  const { session } = await gate.open()
  await failedCall(session, tool, {
    message: reason || 'The call was cancelled.',
    kind: /time(?:d )?[ -]?out/i.test(reason) ? 'timeout' : 'error',
    duration: sentAt === undefined ? 0 : Math.round(performance.now() - sentAt),
    isInterrupt: true,
  })
}

/** The result of a task is the result of the call that began it. */
function fetchTask({ waiting }: Toward, message: Message): Sent {
  const call = waiting.taskCall(message.params?.taskId)
  if (call && isRequest(message)) waiting.set(message.key, { kind: 'call', call })
  return message.text
}
