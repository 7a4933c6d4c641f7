// The texts that a person and the model see when an action is stopped. Word for word as the original has them,
// where it has any; they stand in the event's row.

import type { EventSpec } from '../protocol/events.js'
import type { LooseFacts } from '../protocol/payload.js'
import type { Verdict } from '../protocol/verdict.js'

export interface BlockTexts {
  readonly user: string
  readonly agent: string
}

export function blockTexts(spec: EventSpec, facts: LooseFacts, verdict: Verdict, extra?: string): BlockTexts {
  const { blocked } = spec
  const user = filled(blocked?.user ?? 'The action was blocked by a hook', facts)
  const agent = filled(blocked?.agent ?? blocked?.user ?? 'The action was blocked by a hook', facts)
  const agentText = say(agent, join(verdict.agentMessage ?? verdict.userMessage, extra))
  return {
    user: say(user, join(verdict.userMessage, extra)),
    agent: blocked?.agentNote ? `${agentText}\n${blocked.agentNote}` : agentText,
  }
}

const join = (said: string | null, extra: string | undefined): string | null =>
  extra ? (said ? `${extra}\n\n${said}` : extra) : said

/** A text that is a sentence of its own is followed by what was said; a beginning is completed by it. */
const say = (text: string, said: string | null): string => {
  if (!said) return text
  return /[.!?]$/.test(text) ? `${text} ${said}` : `${text}: ${said}`
}

/** Replaces `{file_path}` by that field. One pass, so that a value cannot insert another field. */
export const filled = (text: string, facts: LooseFacts): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = facts[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  })
