// Sends the engine's question to a model and returns its yes or no. Everything that is not a clear answer in the
// provider's structured mode is an error, because the engine decides what a failed hook means.

import { setTimeout as pause } from 'node:timers/promises'
import type { EvaluatePrompt, PromptQuestion, PromptReply } from '@holdfast/hooks/protocol'
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModelMiddleware,
  Output,
  wrapLanguageModel,
} from 'ai'
import { boundedFetch } from './bounded-fetch.js'
import { explain, PromptError } from './explain.js'
import { chooseTarget, createModel, type ModelSettings, type Target, thinksFirst } from './model.js'

export interface PromptEvaluatorOptions extends ModelSettings {
  /** For proxies and tests (default: the global fetch). */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export function promptEvaluator(options: PromptEvaluatorOptions = {}): EvaluatePrompt {
  const fetch = boundedFetch(options.fetch ?? globalThis.fetch)
  return async question => {
    const target = chooseTarget(question.model, options)
    const limit = startLimit(question)
    try {
      // The race matters only for a fetch that ignores its signal; the time limit applies to it, too.
      return await Promise.race([askWithRetry(target, question, fetch, limit), limit.reached])
    } catch (error) {
      throw explain(error, target, question)
    } finally {
      limit.clear()
    }
  }
}

const RETRY_PAUSE_MS = 500

// Not the retry of the SDK: it waits as long as the provider requests, even beyond the time limit.
async function askWithRetry(
  target: Target,
  question: PromptQuestion,
  fetch: typeof globalThis.fetch,
  { signal, endsAt }: Limit,
): Promise<PromptReply> {
  signal.throwIfAborted()
  try {
    return await ask(target, question, fetch, signal)
  } catch (error) {
    if (!APICallError.isInstance(error) || !error.isRetryable) throw error
    const wait = retryAfterMs(error.responseHeaders?.['retry-after'])
    if (performance.now() + wait >= endsAt) throw error
    await pause(wait, undefined, { signal })
    return await ask(target, question, fetch, signal)
  }
}

function retryAfterMs(header: string | undefined): number {
  const seconds = header === undefined || header === '' ? Number.NaN : Number(header)
  return seconds >= 0 ? seconds * 1000 : RETRY_PAUSE_MS
}

// Strict modes require every property, hence the null; a missing reason is accepted.
const REPLY_SCHEMA = jsonSchema<unknown>({
  type: 'object',
  properties: {
    ok: { type: 'boolean', description: 'true if the condition holds, false if it does not' },
    reason: {
      type: ['string', 'null'],
      description: 'one or two sentences for the user; null if there is nothing to report',
    },
  },
  required: ['ok', 'reason'],
  additionalProperties: false,
})

// A reason takes a few hundred tokens; reasoning models spend the same allowance on thinking.
const ANSWER_TOKENS = 1_024
const THINKING_TOKENS = 4_096

async function ask(
  target: Target,
  question: PromptQuestion,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<PromptReply> {
  const thinks = thinksFirst(target.model)
  const result = await generateText({
    model: wrapLanguageModel({ model: await createModel(target, fetch), middleware: structuredOnly }),
    system: question.system,
    prompt: question.prompt,
    output: Output.object({ schema: REPLY_SCHEMA, name: 'verdict' }),
    maxOutputTokens: thinks ? THINKING_TOKENS : ANSWER_TOKENS,
    ...(thinks ? {} : { temperature: 0 }),
    maxRetries: 0,
    abortSignal: signal,
  })
  return readReply(result.output)
}

// Runs on the response of the provider, before the SDK looks for an object in it.
const structuredOnly: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  async wrapGenerate({ doGenerate }) {
    const result = await doGenerate()
    const { unified, raw } = result.finishReason
    if (unified === 'length') throw new PromptError("the model's answer was cut off at its length limit")
    if (unified === 'content-filter') throw new PromptError('the model refused to answer')
    // If a forced tool replaces structured output, the SDK falls back to plain text when the model did not call it. A
    // payload can cause plain text, so it does not count.
    const forced = (result.request?.body as { tools?: unknown[] } | undefined)?.tools?.length
    if (forced && raw !== 'tool_use')
      throw new PromptError('the model answered in prose instead of the structured form')
    // The SDK prints warnings to standard output, which belongs to the host.
    return { ...result, warnings: [] }
  },
}

const REASON_LIMIT = 2_000

function readReply(value: unknown): PromptReply {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw shape('not an object')
  const { ok, reason, ...rest } = value as Record<string, unknown>
  if (typeof ok !== 'boolean') throw shape('"ok" is neither true nor false')
  if (reason !== undefined && reason !== null && typeof reason !== 'string')
    throw shape('"reason" is not text')
  if (Object.keys(rest).length > 0) throw shape('it has more than "ok" and "reason"')
  const text = reason?.trim().slice(0, REASON_LIMIT).trimEnd()
  return text ? { ok, reason: text } : { ok }
}

function shape(what: string): PromptError {
  return new PromptError(
    `the model's answer has the wrong shape: ${what}; expected {"ok": true or false, "reason": text}`,
  )
}

interface Limit {
  readonly signal: AbortSignal
  readonly endsAt: number
  readonly reached: Promise<never>
  clear(): void
}

const LONGEST_TIMER_MS = 2_147_483_647

// Not AbortSignal.timeout, whose timer cannot be cancelled after the response.
function startLimit({ signal, timeoutMs }: PromptQuestion): Limit {
  const controller = new AbortController()
  const cancel = () => controller.abort(new PromptError('the question was cancelled'))
  const expire = () => controller.abort(new PromptError(`the model did not answer within ${timeoutMs} ms`))
  const timer = setTimeout(expire, Math.min(timeoutMs, LONGEST_TIMER_MS))
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  const reached = new Promise<never>((_, reject) => {
    const stop = () => reject(controller.signal.reason)
    if (controller.signal.aborted) stop()
    else controller.signal.addEventListener('abort', stop, { once: true })
  })
  return {
    signal: controller.signal,
    endsAt: performance.now() + timeoutMs,
    reached,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    },
  }
}
