// A hook's question to the user, put to the client as an elicitation. The answer comes among the client's messages.

import { randomUUID } from 'node:crypto'
import type { AskQuestion, Refusal } from '@holdfast/hooks'
import { membersOf, textOf } from './json-text.js'
import { isObject, isTwice, type Message, memberOf } from './message.js'

const LONGEST_ARGUMENTS = 600

/** Without a verdict it is about the changed definition of a tool, and no hook asks. */
export type Question = Pick<AskQuestion, 'message' | 'fields' | 'signal'> &
  Partial<Pick<AskQuestion, 'verdict'>>
export type Ask = (question: Question) => Promise<boolean>
/**
 * Asks a person in another program than the client; undefined if nobody can be asked. `client` is its name, and the signal
 * withdraws the question.
 */
export type AskElsewhere = (
  question: Question & { readonly signal: AbortSignal },
  client: string,
) => Promise<boolean | Refusal | undefined>

export type ElsewhereAsk = (question: Question) => Promise<boolean | Refusal | undefined>

export interface Asking {
  readonly ask: Ask
  /** Whether the message was the answer to a question of ours. */
  take(message: Message): boolean
  /** Nobody is there to answer any more. */
  close(): void
}

/** A server that knew the id of a question could ask another one under it, and its answer would count for ours. */
export function askThrough(send: (text: string) => void): Asking {
  const open = new Map<string, (yes: boolean) => void>()
  return {
    ask: question =>
      new Promise(resolve => {
        const id = `holdfast-${randomUUID()}`
        const { signal } = question
        const settle = (yes: boolean) => {
          open.delete(`"${id}`)
          signal?.removeEventListener('abort', withdraw)
          resolve(yes)
        }
        const withdraw = () => {
          send(note(id))
          settle(false)
        }
        open.set(`"${id}`, settle)
        signal?.addEventListener('abort', withdraw)
        send(request(id, question))
      }),
    take(message) {
      const settle = message.method === undefined ? open.get(message.key ?? '') : undefined
      settle?.(isYes(message))
      return settle !== undefined
    },
    close() {
      for (const settle of [...open.values()]) settle(false)
    },
  }
}

const request = (id: string, { message, fields }: Question): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'elicitation/create',
    params: {
      message: wordsOf(message, fields),
      requestedSchema: FORM,
    },
  })

/** Closing the form by mistake must not be a yes, so there is a box to tick. */
export const FORM = {
  type: 'object',
  properties: { allow: { type: 'boolean', title: 'Allow this call' } },
  required: ['allow'],
} as const

export function wordsOf(message: string | null, fields: AskQuestion['fields']): string {
  const { tool_name, tool_input } = fields
  const input = typeof tool_input === 'string' ? tool_input : JSON.stringify(tool_input ?? {})
  const short = input.length > LONGEST_ARGUMENTS ? `${input.slice(0, LONGEST_ARGUMENTS)}…` : input
  const said = message ?? 'A hook wants you to approve this call.'
  return `${said}\n\n${String(tool_name).replace(/^MCP:/, '')} ${short}`
}

const note = (requestId: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'The call was cancelled.' },
  })

/** An answer that contradicts itself is no clear yes: an error beside the result, or a part that is there twice. */
function isYes(message: Message): boolean {
  const place = memberOf(message, 'result')
  if (!place || memberOf(message, 'error')) return false
  const text = textOf(message.text, place)
  const result: unknown = JSON.parse(text)
  if (!isObject(result) || result.action !== 'accept') return false
  if (!isObject(result.content) || result.content.allow !== true) return false
  const parts = membersOf(text, 0)
  if (isTwice(parts, { action: true, content: true })) return false
  const content = parts.find(({ key }) => key === 'content')!
  return !isTwice(membersOf(text, content.from), { allow: true })
}
