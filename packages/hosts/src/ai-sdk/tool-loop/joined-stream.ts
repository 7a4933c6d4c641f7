// Several rounds as one stream, which continues when a hook continues. A later round starts when the one before has
// ended.

import {
  type AsyncIterableStream,
  createTextStreamResponse,
  createUIMessageStream,
  createUIMessageStreamResponse,
  type InferUIMessageChunk,
  pipeTextStreamToResponse,
  pipeUIMessageStreamToResponse,
  type UIMessage,
  type UIMessageStreamOptions,
} from 'ai'
import { joinedUsage, streamedMessages } from './joined-result.js'
import type { Round, Streamed } from './loop-turn.js'

/** The last round speaks for all. */
const OF_THE_LAST = [
  'content',
  'text',
  'reasoning',
  'reasoningText',
  'files',
  'sources',
  'toolCalls',
  'staticToolCalls',
  'dynamicToolCalls',
  'staticToolResults',
  'dynamicToolResults',
  'toolResults',
  'finishReason',
  'rawFinishReason',
  'usage',
  'warnings',
  'request',
  'providerMetadata',
  'output',
] as const satisfies readonly (keyof Streamed)[]

type OwnMembers = Omit<Streamed, (typeof OF_THE_LAST)[number]>

export function joinedStream(first: Round): Streamed {
  const all = async () => {
    const results: Streamed[] = []
    for await (const result of resultsOf(first)) results.push(result)
    return results
  }
  const last = async () => (await all()).at(-1)!
  const own: OwnMembers = {
    get steps() {
      return all().then(async results => (await Promise.all(results.map(({ steps }) => steps))).flat())
    },
    get totalUsage() {
      return all().then(async results =>
        (await Promise.all(results.map(({ totalUsage }) => totalUsage))).reduce(joinedUsage),
      )
    },
    get response() {
      return all().then(async results => {
        const messages = (await Promise.all(results.map(streamedMessages))).flat()
        return { ...(await results.at(-1)!.response), messages }
      })
    },
    get textStream() {
      return asStream(chained(first, result => result.textStream))
    },
    get fullStream() {
      return asStream(framed(first, result => result.fullStream))
    },
    get partialOutputStream() {
      return asStream(chained(first, result => result.partialOutputStream))
    },
    get experimental_partialOutputStream() {
      return own.partialOutputStream
    },
    get elementStream() {
      return asStream(chained(first, result => result.elementStream))
    },
    async consumeStream(options) {
      for await (const result of resultsOf(first)) await result.consumeStream(options)
    },
    toUIMessageStream: options => uiStream(first, options),
    toUIMessageStreamResponse: (options = {}) =>
      createUIMessageStreamResponse({ ...options, stream: uiStream(first, options) }),
    pipeUIMessageStreamToResponse: async (response, options = {}) =>
      pipeUIMessageStreamToResponse({ ...options, response, stream: uiStream(first, options) }),
    toTextStreamResponse: init => createTextStreamResponse({ ...init, ...textOf(own) }),
    pipeTextStreamToResponse: async (response, init) =>
      pipeTextStreamToResponse({ ...init, response, ...textOf(own) }),
  }
  // Names of version 7 of the AI SDK.
  Object.defineProperties(own, {
    stream: { get: () => own.fullStream },
    responseMessages: { get: async () => (await own.response).messages },
    finalStep: { get: async () => (await own.steps).at(-1) },
  })
  const promised = OF_THE_LAST.map(name => [name, { get: async () => (await last())[name] }] as const)
  return Object.defineProperties(own, Object.fromEntries(promised)) as Streamed
}

/** One stream under its names in both versions of the AI SDK. */
function textOf({ textStream }: Pick<Streamed, 'textStream'>): { textStream: AsyncIterableStream<string> } {
  return { textStream, ...{ stream: textStream } }
}

async function* resultsOf(first: Round): AsyncGenerator<Streamed> {
  for (let round: Round | null = first; round; round = await round.next) yield round.result
}

async function* chained<T>(first: Round, pick: (result: Streamed) => AsyncIterable<T>): AsyncGenerator<T> {
  for await (const result of resultsOf(first)) yield* pick(result)
}

interface Framed {
  readonly type: string
}

/** Only the first round has a start, and only the last one an end. */
async function* framed<T extends Framed>(
  first: Round,
  pick: (result: Streamed) => AsyncIterable<T>,
): AsyncGenerator<T> {
  let finish: T | undefined
  for await (const result of resultsOf(first)) {
    for await (const part of pick(result)) {
      if (part.type === 'finish') finish = after(finish, part)
      else if (part.type !== 'start' || result === first.result) yield part
    }
  }
  if (finish) yield finish
}

/** The tokens of all rounds, if the part contains them. */
function after<T>(earlier: T | undefined, part: T): T {
  const [before, now] = [earlier, part].map(each => (Object(each) as { totalUsage?: object }).totalUsage)
  return before && now ? { ...part, totalUsage: joinedUsage(before as never, now as never) } : part
}

function uiStream<M extends UIMessage>(
  first: Round,
  options: UIMessageStreamOptions<M> = {},
): AsyncIterableStream<InferUIMessageChunk<M>> {
  const { originalMessages, generateMessageId, onFinish, ...each } = options
  const chunks = framed(first, result => result.toUIMessageStream<M>(each))
  // These three are about the whole message.
  return createUIMessageStream<M>({
    execute: ({ writer }) => writer.merge(asStream(chunks)),
    ...(each.onError ? { onError: each.onError } : {}),
    ...(originalMessages ? { originalMessages } : {}),
    ...(generateMessageId ? { generateId: generateMessageId } : {}),
    ...(onFinish ? { onFinish } : {}),
  }) as AsyncIterableStream<InferUIMessageChunk<M>>
}

function asStream<T>(parts: AsyncGenerator<T>): AsyncIterableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await parts.return(undefined)
    },
  }) as AsyncIterableStream<T>
}
