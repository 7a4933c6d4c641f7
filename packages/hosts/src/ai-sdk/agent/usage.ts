// Tokens, in the fields of the events.

import type { LanguageModelUsage } from 'ai'

export interface Usage {
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
}

export const noUsage = (): Usage => ({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
})

export function count(usage: Usage, spent: LanguageModelUsage): void {
  usage.input_tokens += spent.inputTokens ?? 0
  usage.output_tokens += spent.outputTokens ?? 0
  usage.cache_read_tokens += spent.inputTokenDetails?.cacheReadTokens ?? 0
  usage.cache_write_tokens += spent.inputTokenDetails?.cacheWriteTokens ?? 0
}
