// Files that a person names with @: Gemini CLI and Qwen Code put what they hold into the prompt, without a tool.

import { type Occurrence, orEmpty } from './shape.js'
import { stepOfReading } from './tool.js'

/** A prompt that asks about the files in it, too. */
export function withFiles(occurrence: Occurrence, prompt: unknown): Occurrence {
  const { steps, conversation } = occurrence
  const files = filesNamed(orEmpty(prompt)).map(path => stepOfReading(path, conversation.cwd))
  return { ...occurrence, steps: [...steps, ...files] }
}

function filesNamed(prompt: string): string[] {
  if (!prompt.includes('\n--- Content from referenced files ---')) return []
  const named = prompt.matchAll(/^Content from @?(.+):$/gm)
  return [...new Set([...named].map(([, path = '']) => path))]
}
