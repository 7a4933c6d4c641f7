// What a tool returned, as hooks read it and as the model reads it.

import type { ToolResultPart } from 'ai'

type ModelOutput = ToolResultPart['output']

/** For `tool_output`: JSON, whatever it was. */
export function outputText(output: unknown): string {
  try {
    return JSON.stringify(output) ?? ''
  } catch {
    return String(output)
  }
}

/** Context that hooks add stands after the result. */
export function withContext(output: ModelOutput, context: string | undefined): ModelOutput {
  if (context === undefined) return output
  if (output.type === 'text') return { ...output, value: `${output.value}\n\n${context}` }
  const added = { type: 'text' as const, text: context }
  if (output.type === 'content') return { ...output, value: [...output.value, added] }
  if (output.type !== 'json') return output
  const first = { type: 'text' as const, text: JSON.stringify(output.value) }
  return { type: 'content', value: [first, added] }
}
