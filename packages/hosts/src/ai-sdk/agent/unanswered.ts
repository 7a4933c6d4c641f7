// Calls without a result: of a tool of the application, or in a response that was cut off. No model accepts a further
// message while one is open.

import type { ModelMessage } from 'ai'

type Part = Exclude<ModelMessage['content'], string>[number]

/** The same messages, with a result for each open call of the last one. */
export function withAnswers(messages: readonly ModelMessage[]): ModelMessage[] {
  const open = openCalls(messages)
  if (open.length === 0) return [...messages]
  const output = { type: 'error-text' as const, value: 'This call was not run.' }
  const content = open.map(({ toolCallId, toolName }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output,
  }))
  return [...messages, { role: 'tool', content }]
}

export const hasOpenCalls = (messages: readonly ModelMessage[]): boolean => openCalls(messages).length > 0

function openCalls(messages: readonly ModelMessage[]) {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const parts: Part[] = messages
    .slice(Math.max(0, last))
    .flatMap(({ content }): Part[] => (typeof content === 'string' ? [] : content))
  const answered = new Set(parts.flatMap(part => (part.type === 'tool-result' ? [part.toolCallId] : [])))
  return parts.flatMap(part =>
    part.type === 'tool-call' && !part.providerExecuted && !answered.has(part.toolCallId) ? [part] : [],
  )
}
