import type { ToolLoopAgentSettings } from 'ai'

type Instructions = ToolLoopAgentSettings['instructions']

/** The instructions, in whichever form they are, with what hooks add. */
export function withContext(instructions: Instructions, context: string | null): Instructions {
  if (!context) return instructions
  if (instructions === undefined || instructions === '') return context
  if (typeof instructions === 'string') return `${instructions}\n\n${context}`
  const added = { role: 'system' as const, content: context }
  return [...(Array.isArray(instructions) ? instructions : [instructions]), added]
}
