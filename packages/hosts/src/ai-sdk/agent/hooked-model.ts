// Fires events for the thoughts and messages of the model. It wraps the model, so that hooks receive a message before
// the tools that it calls run.

import type { EventFields } from '@holdfast/hooks'
import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai'
import type { Scene } from './scene.js'

export type Model = Parameters<typeof wrapLanguageModel>[0]['model']

type Stream = Awaited<ReturnType<Model['doStream']>>['stream']
type Part = Stream extends ReadableStream<infer P> ? P : never
type Finish = Extract<Part, { type: 'finish' }>

type Generated = Awaited<ReturnType<Model['doGenerate']>>

/** Models that are wrapped already: an application may pass on the one that it received. */
const hooked = new WeakMap<Model, Scene>()

export const hookModel = (model: Model, scene: Scene): Model => {
  if (hooked.get(model) === scene) return model
  const wrapped = wrapLanguageModel({ model, middleware: listening(scene) })
  hooked.set(wrapped, scene)
  return wrapped
}

export const listening = (scene: Scene): LanguageModelMiddleware => ({
  specificationVersion: 'v3',
  async wrapStream({ doStream }) {
    scene.said = ''
    const { stream, ...rest } = await doStream()
    return { ...rest, stream: stream.pipeThrough(listener(scene)) }
  },
  async wrapGenerate({ doGenerate }) {
    scene.said = ''
    const generated = await doGenerate()
    await tellGenerated(scene, generated)
    return generated
  },
})

/** All at once, so the duration of each thought is not known. */
async function tellGenerated(scene: Scene, { content, usage }: Generated): Promise<void> {
  const textOf = (type: 'text' | 'reasoning') =>
    content.flatMap(part => (part.type === type && part.text ? [part.text] : []))
  for (const text of textOf('reasoning')) await scene.session.fire('afterAgentThought', { text })
  await tellSaid(scene, textOf('text').join(''), usage)
}

async function tellSaid(scene: Scene, text: string, usage: Finish['usage']): Promise<void> {
  scene.said = text
  if (text) await scene.session.fire('afterAgentResponse', { text, ...tokens(usage) })
}

/** Tools run after the last part, so work that is awaited here comes before them. */
function listener(scene: Scene): TransformStream<Part, Part> {
  const thoughts = new Map<string, { text: string; began: number }>()
  let text = ''
  return new TransformStream<Part, Part>({
    async transform(part, controller) {
      if (part.type === 'text-delta') text += part.delta
      if (part.type === 'reasoning-start') thoughts.set(part.id, { text: '', began: performance.now() })
      if (part.type === 'reasoning-delta') {
        const thought = thoughts.get(part.id)
        if (thought) thought.text += part.delta
      }
      if (part.type === 'reasoning-end') {
        const thought = thoughts.get(part.id)
        thoughts.delete(part.id)
        if (thought?.text) {
          const duration_ms = performance.now() - thought.began
          await scene.session.fire('afterAgentThought', { text: thought.text, duration_ms })
        }
      }
      if (part.type === 'finish') await tellSaid(scene, text, part.usage)
      controller.enqueue(part)
    },
  })
}

type Counters = Pick<
  EventFields<'afterAgentResponse'>,
  'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_write_tokens'
>

/** Only the content of the provider. */
function tokens({ inputTokens, outputTokens }: Finish['usage']): Counters {
  const all = {
    input_tokens: inputTokens.total,
    output_tokens: outputTokens.total,
    cache_read_tokens: inputTokens.cacheRead,
    cache_write_tokens: inputTokens.cacheWrite,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
