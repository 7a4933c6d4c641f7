// A model with prepared responses, for tests of an agent and its hooks, and for demonstrations without a network. Each
// call of the model takes the next line.

import { simulateReadableStream } from 'ai'
import type { Model } from './hooked-model.js'

export interface ScriptedCall {
  readonly tool: string
  readonly input: unknown
}

export interface ScriptedLine {
  readonly thought?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Input tokens that the model reports. */
  readonly inputTokens?: number
  /** Fails instead of responding. */
  readonly error?: Error
}

export interface ScriptedModel extends Model {
  /** The input of the model, call by call. */
  readonly prompts: readonly Parameters<Model['doStream']>[0]['prompt'][]
}

type StreamPart = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never
type Content = Awaited<ReturnType<Model['doGenerate']>>['content']

export function scriptedModel(
  lines: readonly ScriptedLine[],
  { modelId = 'scripted', delayMs = null }: { modelId?: string; delayMs?: number | null } = {},
): ScriptedModel {
  const prompts: Parameters<Model['doStream']>[0]['prompt'][] = []
  const next = (prompt: (typeof prompts)[number]): ScriptedLine => {
    prompts.push(prompt)
    const line = lines[prompts.length - 1]
    if (!line) throw new Error(`The scripted model has only ${lines.length} lines and was called once more.`)
    if (line.error) throw line.error
    return line
  }
  const called = (line: ScriptedLine) =>
    (line.calls ?? []).map(({ tool, input }, index) => ({
      type: 'tool-call' as const,
      toolCallId: `${modelId}-${prompts.length}-${index + 1}`,
      toolName: tool,
      input: JSON.stringify(input),
    }))
  return {
    specificationVersion: 'v3',
    provider: 'script',
    modelId,
    supportedUrls: {},
    prompts,
    doGenerate: async ({ prompt }) => {
      const line = next(prompt)
      const content: Content = [
        ...(line.thought ? [{ type: 'reasoning' as const, text: line.thought }] : []),
        ...(line.text ? [{ type: 'text' as const, text: line.text }] : []),
        ...called(line),
      ]
      return { content, warnings: [], ...ending(line) }
    },
    doStream: async ({ prompt, abortSignal }) => {
      const line = next(prompt)
      const parts: StreamPart[] = [{ type: 'stream-start', warnings: [] }]
      for (const [type, text] of [
        ['reasoning', line.thought],
        ['text', line.text],
      ] as const) {
        if (!text) continue
        const deltas = words(text).map(delta => ({ type: `${type}-delta` as const, id: type, delta }))
        parts.push({ type: `${type}-start`, id: type }, ...deltas, { type: `${type}-end`, id: type })
      }
      parts.push(...called(line), { type: 'finish', ...ending(line) })
      const stream = simulateReadableStream({
        chunks: parts,
        initialDelayInMs: null,
        chunkDelayInMs: delayMs,
      })
      abortSignal?.throwIfAborted()
      return { stream }
    },
  }
}

const words = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? []

function ending({ calls, inputTokens = 10 }: ScriptedLine) {
  const unified = calls && calls.length > 0 ? ('tool-calls' as const) : ('stop' as const)
  return {
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
  }
}
