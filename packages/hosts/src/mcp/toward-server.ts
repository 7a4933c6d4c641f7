// Client → server: what a message of the client becomes. Tool calls pass the hooks; nearly all else is handed on.

import type { Ask, ElsewhereAsk } from './ask.js'
import { beforeCall, failedCall, isGated, type Passed, type ServerInfo, type Tool } from './call.js'
import type { Opened } from './engine.js'
import { type HeldQuestions, isApproved } from './held.js'
import { membersOf, textOf, withTexts } from './json-text.js'
import {
  CODE,
  errorAnswer,
  isObject,
  isRequest,
  keyOf,
  type Message,
  memberOf,
  readLine,
  resultAnswer,
} from './message.js'
import { type Meta, metaOf } from './modern.js'
import type { Pins } from './pins.js'
import { CALL, isRepeated, paramText, toolOf, unknownTask, withArguments } from './tool.js'
import type { Call, WaitingRoom } from './waiting.js'

export const GREETING = 'initialize'

export interface Toward {
  readonly waiting: WaitingRoom
  readonly held: HeldQuestions
  readonly pins: Pins | undefined
  /** Asks a client that was greeted and can show forms. Null: it cannot. */
  readonly ask: Ask | null
  /** Asks a person without the client. Null: nobody can be asked that way. */
  readonly askElsewhere: ElsewhereAsk | null
  /** Opens the engine with the first message that needs it. */
  open(greeting?: Message): Promise<Opened>
  serverInfo(): ServerInfo
  /** Asks the server for its name, in the client's words. Resolves when it is known, or does not come. */
  learnName(metaText: string): Promise<void>
  /** Whether the message is an answer to a question of the gateway's own. */
  takesAnswer(message: Message): boolean
  /** Work that is waited for at the end. */
  homeward(work: Promise<unknown>): void
  note(text: string): void
}

/** What is to be sent on; undefined for nothing. Answers that the server will not give go to `answer`. */
type Sent = string | undefined
type Answer = (text: string) => void

export function toward(gate: Toward, message: Message, answer: Answer): Sent | Promise<Sent> {
  if (message.method === undefined) return gate.takesAnswer(message) ? undefined : message.text
  if (isRequest(message)) {
    // Two answers with one id: the result of a call could pass for that of a harmless request.
    if (gate.waiting.has(message.key!)) {
      const words = `The id ${message.id} is in use by a request that is not answered yet.`
      answer(errorAnswer(message.id, CODE.request, words))
      return undefined
    }
    gate.waiting.set(message.key, { kind: 'other' })
  }
  const handle = HANDLERS.get(message.method)
  return handle ? handle(gate, message, answer) : message.text
}

type Handler = (gate: Toward, message: Message, answer: Answer) => Sent | Promise<Sent>

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  [GREETING, greet],
  ['server/discover', greet],
  [CALL, call],
  ['notifications/cancelled', cancel],
  ['tasks/result', fetchTask],
  ['tasks/get', fetchTask],
  ['tools/list', list],
  ['resources/read', readResource],
  ['prompts/get', getPrompt],
])

async function greet(gate: Toward, message: Message, answer: Answer): Promise<Sent> {
  try {
    const { blocked } = await gate.open(message)
    if (blocked !== null) {
      gate.waiting.take(message.key)
      answer(errorAnswer(message.id, CODE.gone, blocked))
      return undefined
    }
  } catch (error) {
    return refuse(gate, message, answer, error)
  }
  if (isRequest(message)) gate.waiting.set(message.key, { kind: 'greeting' })
  return message.text
}

async function call(gate: Toward, message: Message, answer: Answer): Promise<Sent> {
  const { waiting } = gate
  const tool = toolOf(message)
  if (!tool) return stop(gate, message, answer, UNCLEAR)
  // Without an id nobody awaits an answer, but the server may still do it.
  const id = isRequest(message) ? message.id : undefined
  const meta = metaOf(message)
  const params = message.params!
  const repeated = meta && id !== undefined ? gate.held.find(params, tool) : undefined
  if (repeated === 'foreign') return stop(gate, message, answer, FOREIGN)
  if (repeated) {
    const { call, first, settle } = repeated
    waiting.set(message.key, { kind: 'call', call })
    call.id = id
    const sent = proceed(gate, call, asRepeated(first, message), answer)
    settle(isApproved(params))
    return sent
  }
  const isAnswered = params.inputResponses !== undefined || params.requestState !== undefined
  const known = meta && isAnswered ? waiting.takeInterim(params.requestState, tool) : undefined
  const call = known ?? callOf(tool, message)
  call.id = id
  if (id !== undefined) waiting.set(message.key, { kind: 'call', call })
  return proceed(gate, call, message, answer, meta)
}

const callOf = (tool: Tool, message: Message): Call => ({
  id: undefined,
  isModern: metaOf(message) !== undefined,
  isTask: metaOf(message) !== undefined || isObject(message.params?.task),
  abort: new AbortController(),
  given: tool,
  tool,
  sentAt: undefined,
  judged: undefined,
  ask: undefined,
  seen: undefined,
})

const UNCLEAR = `${CALL} needs one name, a string, and arguments that are an object in which no key is repeated.`
const FOREIGN =
  'This question is not open, or is about another call. Call the tool again without requestState.'

/** The call as it came first, which the user was asked about, with the id and the metadata of the current request. */
function asRepeated(first: Message, again: Message): Message {
  const params = textOf(first.text, memberOf(first, 'params')!)
  const meta = withTexts(params, [['_meta', paramText(again, '_meta')!]])
  const read = readLine(
    withTexts(first.text, [
      ['id', again.id!],
      ['params', meta],
    ]),
  )
  if (read.kind !== 'one') throw new Error('The repeated call cannot be read.')
  return read.message
}

/** Decides about the call, or goes on with it, until the hooks ask the client: then this request is over. */
async function proceed(
  gate: Toward,
  call: Call,
  message: Message,
  answer: Answer,
  meta?: Meta,
): Promise<Sent> {
  const { waiting } = gate
  const { key, id } = message
  try {
    const asked = new Promise<'asked'>(resolve => {
      call.ask = text => {
        waiting.take(key)
        answer(text)
        resolve('asked')
      }
    })
    call.judged ??= judge(gate, call, message, meta)
    const passed = await Promise.race([call.judged, asked])
    if (passed === 'asked' || call.abort.signal.aborted) return undefined
    if (passed.kind === 'denied') {
      waiting.take(key)
      if (id !== undefined) answer(denial(id, passed.text, call.isModern))
      return undefined
    }
    call.tool = passed.tool
    call.sentAt ??= performance.now()
    return call.tool === call.given ? message.text : withArguments(message, call.tool.argumentsText)
  } catch (error) {
    if (call.abort.signal.aborted) return undefined
    return refuse(gate, message, answer, error)
  }
}

async function judge(gate: Toward, call: Call, message: Message, meta: Meta | undefined): Promise<Passed> {
  const { hooks, session, blocked } = await gate.open()
  const { given, abort } = call
  if (blocked !== null) return { kind: 'denied', text: blocked }
  const askClient =
    meta === undefined
      ? gate.ask
      : meta.canAsk && call.id !== undefined
        ? gate.held.asker(call, message, text => call.ask?.(text))
        : null
  const ask = askClient ?? gate.askElsewhere
  const unpinned = gate.pins?.changeOf(given.name)
  if (unpinned !== undefined) {
    const fields = { tool_name: given.name, tool_input: given.argumentsText }
    const answer = await ask?.({ message: unpinned.question, fields, signal: abort.signal })
    if (answer !== true) {
      const text =
        answer === undefined
          ? unpinned.hint
          : [unpinned.refusal, ...(answer ? [answer.reason] : [])].join(' ')
      await failedCall(session, given, { message: text, duration: 0, kind: 'permission_denied' })
      return { kind: 'denied', text }
    }
    unpinned.accept()
  }
  if (!isGated(hooks)) return { kind: 'go', tool: given }
  if (meta) await gate.learnName(paramText(message, '_meta')!)
  return beforeCall(session, given, gate.serverInfo(), {
    signal: abort.signal,
    // A client that was greeted is asked one question at a time, by the engine.
    ...(meta || !askClient ? { onAsk: ask && (async question => (await ask(question)) ?? false) } : {}),
  })
}

const denial = (id: string, text: string, isModern: boolean): string =>
  resultAnswer(id, {
    ...(isModern ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text }],
    isError: true,
  })

/** Hooks that cannot be asked cannot have agreed. */
function refuse(gate: Toward, { id, key }: Message, answer: Answer, error: unknown): undefined {
  const words = `The hooks could not run: ${(error as Error).message}`
  gate.waiting.take(key)
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

/** The result of a task is the result of the call that began it, also where the gateway did not see that call. */
function fetchTask({ waiting }: Toward, message: Message): Sent {
  const { taskId } = message.params ?? {}
  const call = waiting.taskCall(taskId) ?? callOf(unknownTask(message.method!, taskId), message)
  if (isRequest(message)) {
    waiting.set(message.key, { kind: 'task', call, isNested: message.method === 'tasks/get' })
  }
  return message.text
}

function list({ waiting }: Toward, message: Message): Sent {
  if (isRequest(message)) waiting.set(message.key, { kind: 'list' })
  return message.text
}

function readResource(gate: Toward, message: Message, answer: Answer): Sent {
  const { uri } = message.params ?? {}
  if (typeof uri !== 'string' || isRepeated(message, 'uri')) return stop(gate, message, answer, ONE_URI)
  if (isRequest(message)) gate.waiting.set(message.key, { kind: 'resource', uri })
  return message.text
}

const ONE_URI = 'resources/read needs one uri, a string.'

function getPrompt({ waiting }: Toward, message: Message): Sent {
  if (isRequest(message)) waiting.set(message.key, { kind: 'prompt' })
  return message.text
}

function stop({ waiting }: Toward, { key, id }: Message, answer: Answer, words: string): undefined {
  waiting.take(key)
  if (id !== undefined) answer(errorAnswer(id, CODE.params, words))
  return undefined
}
