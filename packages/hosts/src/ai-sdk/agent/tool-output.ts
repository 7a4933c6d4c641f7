// The result of a tool, in the forms for hooks and for the model.

import { inspect } from 'node:util'
import type { Tool, ToolResultPart } from 'ai'

type ModelOutput = ToolResultPart['output']

/** For `tool_output`: JSON of any value. */
export const outputText = (output: unknown): string =>
  output === undefined ? '' : (inJson(output) ?? inspect(output))

/** Undefined for values without a JSON form: undefined, a function, a cycle. */
function inJson(output: unknown): string | undefined {
  try {
    return JSON.stringify(output)
  } catch {
    return undefined
  }
}

/**
 * As the tool itself says it, or as the AI SDK would, after a walk through JSON: a date, or what holds itself, would
 * break the next call of the model.
 */
export async function modelOutput(
  tool: Tool<unknown, unknown>,
  given: { toolCallId: string; input: unknown; output: unknown },
): Promise<ModelOutput> {
  if (tool.toModelOutput) return tool.toModelOutput(given as never)
  const { output } = given
  if (typeof output === 'string') return { type: 'text', value: output }
  if (output === undefined || output === null) return { type: 'json', value: null }
  const text = inJson(output)
  return text === undefined
    ? { type: 'text', value: inspect(output) }
    : { type: 'json', value: JSON.parse(text) }
}

/** Context of hooks is appended to the result. */
export function withContext(output: ModelOutput, context: string | undefined): ModelOutput {
  if (context === undefined) return output
  if (output.type === 'text' || output.type === 'error-text') {
    return { ...output, value: `${output.value}\n\n${context}` }
  }
  const added = { type: 'text' as const, text: context }
  if (output.type === 'content') return { ...output, value: [...output.value, added] }
  if (output.type !== 'json') return output
  const first = { type: 'text' as const, text: JSON.stringify(output.value) }
  return { type: 'content', value: [first, added] }
}
