// Before the context is compacted: reports the numbers, and notes where the complete conversation is stored.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { appendAudit, hook, notice, type Payload } from '@holdfast/hooks/sdk'

const notes = () => process.env.COMPACTION_NOTES || join(homedir(), '.holdfast', 'compactions.jsonl')

export default hook({
  preCompact: payload => {
    try {
      appendAudit(notes(), noteOf(payload))
    } catch (error) {
      // The user still gets the message.
      console.error(`The note could not be saved: ${(error as Error).message}`)
    }
    return notice(words(payload))
  },
})

const noteOf = (payload: Payload<'preCompact'>) => ({
  at: new Date().toISOString(),
  conversation: payload.conversation_id,
  workspace: payload.workspace_roots[0] ?? null,
  trigger: payload.trigger,
  messages: payload.message_count,
  compacted: payload.messages_to_compact,
  tokens: payload.context_tokens,
  window: payload.context_window_size,
  percent: payload.context_usage_percent,
  first: payload.is_first_compaction,
  transcript: payload.transcript_path,
})

/** Numbers that a host does not know arrive as 0 and are left out. */
function words(payload: Payload<'preCompact'>): string {
  const { context_usage_percent: percent, context_tokens: tokens, context_window_size: size } = payload
  const { message_count: all, messages_to_compact: some, transcript_path: transcript } = payload
  const what =
    some > 0
      ? `${count(some, 'message')}${all > some ? ` of ${number(all)}` : ''} will be summarised`
      : 'earlier messages will be summarised'
  const full = [
    ...(percent > 0 ? [`${Math.round(percent)} % full`] : []),
    ...(tokens > 0 && size > 0 ? [`${number(tokens)} of ${number(size)} tokens`] : []),
  ]
  return [
    `The context is compacted ${payload.trigger === 'manual' ? 'as you asked' : 'now'}: ${what}${full.length > 0 ? ` (${full.join(', ')})` : ''}.`,
    ...(payload.is_first_compaction
      ? []
      : ['It was compacted before, so details of the beginning may be gone.']),
    ...(transcript ? [`Everything is still in ${transcript}`] : []),
  ].join('\n')
}

const number = (value: number) => value.toLocaleString('en')
const count = (value: number, word: string) => `${number(value)} ${value === 1 ? word : `${word}s`}`
