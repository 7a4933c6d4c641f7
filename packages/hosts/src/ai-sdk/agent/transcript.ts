// A conversation as plain text. Providers reject tool calls and results in a request without tools.

import type { ModelMessage } from 'ai'

const LONGEST = 4_000

export const transcript = (messages: readonly ModelMessage[]): string =>
  messages.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n\n')

function textOf(content: ModelMessage['content']): string {
  if (typeof content === 'string') return content
  const lines = content.map(part => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text
    if (part.type === 'tool-call') return `calls ${part.toolName} with ${JSON.stringify(part.input)}`
    if (part.type === 'tool-result') return `${part.toolName} returned ${JSON.stringify(part.output)}`
    return `[${part.type}]`
  })
  return lines.map(line => (line.length > LONGEST ? `${line.slice(0, LONGEST)} […]` : line)).join('\n')
}
