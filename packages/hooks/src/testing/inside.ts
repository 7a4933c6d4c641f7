// Functions and programs of the SDK as hooks of the engine: what they would do as a process, without the process.

import type { EventName } from '../protocol/events.js'
import { isSaid } from '../sdk/answers.js'
import { normalise } from '../sdk/normal.js'
import { render } from '../sdk/render.js'
import type { Handler, Program } from './target.js'

type Fields = Record<string, unknown>

export const programRun = (program: Program, problems: string[]) => async (payload: Fields) => {
  const { answer, problem } = await program.answerTo(JSON.stringify(payload))
  if (problem !== null) problems.push(problem)
  return answer
}

/** Handlers of the SDK get every version's payload in one shape; an answer may be theirs, or the fields as printed. */
export const handlerRun = (event: EventName, handler: Handler<never>) => async (payload: Fields) => {
  const reply: unknown = await handler(normalise(event, payload).payload as never)
  const isTheirs = isSaid(reply) || (Array.isArray(reply) && reply.every(isSaid))
  return isTheirs ? render(event, reply, payload) : reply
}
