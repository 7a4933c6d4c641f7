// Server → client: what an answer of the server becomes. Results of tool calls, resources and prompts pass the hooks;
// all else is handed on.

import { fileURLToPath } from 'node:url'
import {
  changedAnswer,
  changedResult,
  greetingOf,
  type Outcome,
  outcomeOf,
  resultOf,
  resultOutcome,
} from './answer.js'
import {
  afterCall,
  failedCall,
  guardPrompt,
  guardResource,
  isGated,
  isWatched,
  type Seen,
  type ServerInfo,
} from './call.js'
import type { Opened } from './engine.js'
import { membersOf, type Place, textOf, withText } from './json-text.js'
import { CODE, errorAnswer, isAnswer, isObject, type Message, memberOf } from './message.js'
import { isInterim, nameOf, serverNameIn, taskIdOf } from './modern.js'
import type { Pins } from './pins.js'
import { unknownTask } from './tool.js'
import type { Call, Waiting, WaitingRoom } from './waiting.js'

export interface Back {
  readonly waiting: WaitingRoom
  readonly pins: Pins | undefined
  /** Ends what hooks still do with results. */
  readonly signal: AbortSignal | undefined
  open(): Promise<Opened>
  serverInfo(): ServerInfo
  named(serverName: string | undefined): void
  /** The version of the protocol that both agreed on. */
  greeted(version: string): void
  /** Context of the beginning of the session, until the client has it. */
  takeContext(opened: Opened): string | null
  note(text: string): void
}

/** What the client gets; undefined for nothing. */
type Given = string | undefined

export function towardClient(back: Back, message: Message): Given | Promise<Given> {
  if (message.method === 'notifications/tasks') return taskNews(back, message)
  const waiting = isAnswer(message) ? back.waiting.take(message.key) : undefined
  if (!waiting || waiting.kind === 'other') return message.text
  if (waiting.kind === 'cancelled') return undefined
  return given(back, message, waiting).catch((error: Error) => {
    // A hook may have been there to take something out of the result.
    const words = `The hooks could not judge the result: ${error.message}`
    back.note(words)
    return errorAnswer(message.id, CODE.inside, words) + lineEnd(message)
  })
}

async function given(back: Back, message: Message, waiting: Waiting): Promise<Given> {
  const result = waiting.kind === 'greeting' || waiting.kind === 'own' ? resultOf(message) : undefined
  if (result) back.named(nameOf(result.serverInfo) ?? serverNameIn(result))
  switch (waiting.kind) {
    case 'greeting': {
      if (!result) return message.text
      if (typeof result.protocolVersion === 'string') back.greeted(result.protocolVersion)
      const context = back.takeContext(await back.open())
      return context === null ? message.text : greetingOf(message, context)
    }
    case 'own':
      waiting.done()
      return undefined
    case 'call':
      return callResult(back, message, waiting.call)
    case 'task':
      return waiting.isNested
        ? taskState(back, message, memberOf(message, 'result'), waiting.call)
        : callResult(back, message, waiting.call)
    case 'list': {
      const tools = resultOf(message)
      if (tools) back.named(serverNameIn(tools))
      back.pins?.see(tools?.tools)
      return message.text
    }
    case 'resource':
      return guarded(back, message, (opened, found) => guardResource(opened, filesIn(found, waiting.uri)))
    case 'prompt':
      return guarded(back, message, (opened, found) => guardPrompt(opened, promptIn(found)))
    default:
      return message.text
  }
}

async function callResult(back: Back, message: Message, call: Call): Promise<Given> {
  const opened = await back.open()
  const { hooks } = opened
  if (!isWatched(hooks) && !isGated(hooks) && !call.isTask && opened.context === null) return message.text
  const result = resultOf(message)
  if (result && call.isModern) {
    back.named(serverNameIn(result))
    if (isInterim(result)) {
      back.waiting.keepInterim(result.requestState, call)
      return message.text
    }
  }
  const taskId = result && call.isTask ? taskIdOf(result, call.isModern) : null
  if (taskId !== null) {
    back.waiting.keepTask(taskId, call)
    return message.text
  }
  return changedAnswer(message, await judged(back, opened, call, outcomeOf(message)))
}

async function judged(back: Back, opened: Opened, call: Call, outcome: Outcome): Promise<Seen> {
  const { session, hooks } = opened
  const context = back.takeContext(opened)
  if (!isWatched(hooks)) return { output: null, context }
  const duration = Math.round(performance.now() - (call.sentAt ?? performance.now()))
  const ending = back.signal ? { signal: back.signal } : {}
  const seen =
    outcome.kind === 'error'
      ? await failedCall(session, call.tool, { message: outcome.message, duration }, ending)
      : await afterCall(
          session,
          call.tool,
          back.serverInfo(),
          { result: outcome.text, duration, failure: outcome.failure },
          ending,
        )
  if (context === null) return seen
  return { ...seen, context: seen.context === null ? context : `${context}\n\n${seen.context}` }
}

// ——— tasks ———

/** A client polls for the state of a task, so the same result comes more than once; hooks see it once. */
async function taskState(back: Back, message: Message, state: Place | undefined, call: Call): Promise<Given> {
  if (!state) return message.text
  const parts = membersOf(message.text, state.from)
  const place = parts.findLast(({ key }) => key === 'result')
  if (parts.filter(({ key }) => key === 'result').length > 1) throw new Error('The task has two results.')
  if (!place) return message.text
  const result = textOf(message.text, place)
  if (call.seen?.result !== result) {
    const changed = back
      .open()
      .then(opened => judged(back, opened, call, resultOutcome(result)))
      .then(seen => changedResult(result, seen))
    call.seen = { result, changed }
  }
  return withText(message.text, place, await call.seen.changed)
}

async function taskNews(back: Back, message: Message): Promise<Given> {
  const { taskId } = message.params ?? {}
  const call = back.waiting.taskCall(taskId) ?? {
    ...NO_CALL,
    given: unknownTask(message.method!, taskId),
    tool: unknownTask(message.method!, taskId),
  }
  try {
    return await taskState(back, message, memberOf(message, 'params'), call)
  } catch (error) {
    back.note(`An update of a task was not passed on: ${(error as Error).message}`)
    return undefined
  }
}

const NO_CALL = {
  id: undefined,
  isModern: true,
  isTask: true,
  abort: new AbortController(),
  sentAt: undefined,
  judged: undefined,
  ask: undefined,
  seen: undefined,
} as const

// ——— resources and prompts ———

async function guarded(
  back: Back,
  message: Message,
  guard: (opened: Opened, result: Record<string, unknown>) => Promise<string | null>,
): Promise<Given> {
  const opened = await back.open()
  const result = resultOf(message)
  if (opened.blocked !== null) return errorAnswer(message.id, CODE.gone, opened.blocked) + lineEnd(message)
  if (!result || isInterim(result)) return message.text
  const words = await guard(opened, result)
  return words === null ? message.text : errorAnswer(message.id, CODE.params, words) + lineEnd(message)
}

/** Each content under the address that the server gives it, and all of it under the one that the client asked for. */
function filesIn({ contents }: Record<string, unknown>, uri: string): { path: string; content: string }[] {
  const files = (Array.isArray(contents) ? contents : []).filter(isObject).map(each => ({
    uri: typeof each.uri === 'string' ? each.uri : uri,
    content: String(each.text ?? each.blob ?? ''),
  }))
  const asked = files.some(file => file.uri === uri)
    ? []
    : [{ uri, content: files.map(({ content }) => content).join('\n') }]
  return [...asked, ...files].map(file => ({ path: pathOf(file.uri), content: file.content }))
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri)
  } catch {
    return uri
  }
}

const promptIn = ({ messages }: Record<string, unknown>): string =>
  (Array.isArray(messages) ? messages : [])
    .map((each: unknown) => (isObject(each) ? each.content : undefined))
    .map((content: unknown) =>
      isObject(content) && typeof content.text === 'string' ? content.text : JSON.stringify(content ?? ''),
    )
    .join('\n')

const lineEnd = ({ text }: Message): string => (text.endsWith('\n') ? '\n' : '')
