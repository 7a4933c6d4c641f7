// An agent in a folder, with a scripted model, and the events that its hooks received.

import { wrapLanguageModel } from 'ai'
import { vi } from 'vitest'
import { codingTools } from '../../tools/coding-tools.js'
import { startAgent } from '../agent.js'
import type { Model } from '../hooked-model.js'
import type { AgentOptions } from '../options.js'
import { type ScriptedLine, scriptedModel } from '../scripted-model.js'
import type { Place } from './place.js'

export const namesIn = (place: Place): unknown[] =>
  place.audited().map(({ hook_event_name }) => hook_event_name)

export const eventsIn = (place: Place, name: string): Record<string, unknown>[] =>
  place.audited().filter(event => event.hook_event_name === name)

/** Hooks from the hooks.json of the place. */
export async function agentIn(
  place: Place,
  script: readonly ScriptedLine[],
  options: Partial<AgentOptions> = {},
  host: Parameters<Place['open']>[0] = {},
) {
  const hooks = options.hooks ?? (await place.open(host))
  const model = scriptedModel(script)
  const { workspace } = place
  const agent = await startAgent({ workspace, hooks, model, tools: codingTools({ workspace }), ...options })
  return { agent, model, hooks }
}

/** As long as a test may take. */
export const until = (holds: () => boolean): Promise<true> =>
  vi.waitUntil(() => holds(), { timeout: 40_000, interval: 10 })

/** The text of everything that the model was given at one call. */
export const given = (prompt: unknown): string => JSON.stringify(prompt)

/** A hook that prints this answer. */
export const saying = (answer: unknown, more: object = {}): object => ({
  command: `printf '%s' '${JSON.stringify(answer)}'`,
  ...more,
})

type Stream = Awaited<ReturnType<Model['doStream']>>['stream']
type StreamPart = Stream extends ReadableStream<infer P> ? P : never

/** The model, with its parts changed as the test wants them; what a script cannot say. */
export const altered = (model: Model, change: (part: StreamPart) => StreamPart): Model =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v3',
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream()
        const changing = new TransformStream<StreamPart, StreamPart>({
          transform: (part, controller) => controller.enqueue(change(part)),
        })
        return { ...rest, stream: stream.pipeThrough(changing) }
      },
    },
  })
