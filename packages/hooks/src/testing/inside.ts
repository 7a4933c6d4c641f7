// Functions and programs of the SDK as hooks of the engine: what they would do as a process, without the process.

import type { EventName } from '../protocol/events.js'
import { normalise } from '../sdk/normal.js'
import type { Handler, Program } from './target.js'

type Fields = Record<string, unknown>

export const programRun = (program: Program, problems: string[]) => async (payload: Fields) => {
  const { answer, problem } = await program.answerTo(JSON.stringify(payload))
  if (problem !== null) problems.push(problem)
  return answer
}

/** Handlers of the SDK receive every version's payload in one shape. */
export const handlerRun = (event: EventName, handler: Handler<never>) => (payload: Fields) =>
  handler(normalise(event, payload).payload as never)
