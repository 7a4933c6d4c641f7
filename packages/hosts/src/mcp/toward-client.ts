// Server → client: what an answer of the server becomes. Results of tool calls pass the hooks; all else is handed on.

import { changedAnswer, greetingOf, outcomeOf } from './answer.js'
import { afterCall, failedCall, isWatched, type ServerInfo } from './call.js'
import type { Opened } from './engine.js'
import { CODE, errorAnswer, isAnswer, type Message } from './message.js'
import type { Call, WaitingRoom } from './waiting.js'

export interface Back {
  readonly waiting: WaitingRoom
  /** Ends what hooks still do with results. */
  readonly signal: AbortSignal | undefined
  open(): Promise<Opened>
  serverInfo(): ServerInfo
  greeted(serverName: string | undefined, version: string | undefined): void
  note(text: string): void
}

/** What the client gets; undefined for nothing. */
type Given = string | undefined

export function towardClient(back: Back, message: Message): Given | Promise<Given> {
  const waiting = isAnswer(message) ? back.waiting.take(message.key) : undefined
  if (!waiting) return message.text
  if (waiting.kind === 'cancelled') return undefined
  return waiting.kind === 'greeting' ? greeting(back, message) : result(back, message, waiting.call)
}

async function greeting(back: Back, message: Message): Promise<Given> {
  const { context } = await back.open()
  const { text, serverName, version } = greetingOf(message, context)
  back.greeted(serverName, version)
  return text
}

async function result(back: Back, message: Message, call: Call): Promise<Given> {
  const { hooks, session } = await back.open()
  if (!call.isTask && !isWatched(hooks)) return message.text
  try {
    const outcome = outcomeOf(message)
    if (outcome.kind === 'result' && outcome.taskId !== null && call.isTask) {
      back.waiting.keepTask(outcome.taskId, call)
      return message.text
    }
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
    return changedAnswer(message, seen)
  } catch (error) {
    // A hook may have been there to take something out of the result.
    const words = `The hooks could not see the result: ${(error as Error).message}`
    back.note(words)
    return errorAnswer(message.id, CODE.inside, words) + (message.text.endsWith('\n') ? '\n' : '')
  }
}
