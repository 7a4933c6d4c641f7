// A question of a hook that ends the request which it is about: the client shows it and sends the call again. The call
// waits here with its hooks, so they run once. The rest of the call is the text that came first; the repeated request
// only gives its id and metadata.

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Ask, FORM, type Question, wordsOf } from './ask.js'
import type { Tool } from './call.js'
import { isObject, type Message, resultAnswer } from './message.js'
import type { Call } from './waiting.js'

/** A client that does not come back has answered no. */
const PATIENCE_MS = 10 * 60_000
const MOST = 256
const KEY = 'holdfast'
const PREFIX = 'holdfast-'

interface Held {
  readonly call: Call
  /** The request that came first. */
  readonly first: Message
  settle(yes: boolean): void
}

export class HeldQuestions {
  private readonly byState = new Map<string, Held>()

  /** Asks by answering the current request of the call, which is over then. */
  asker(call: Call, first: Message, answer: (text: string) => void): Ask {
    return question =>
      new Promise<boolean>(resolve => {
        const state = `${PREFIX}${randomUUID()}`
        const settle = (yes: boolean) => {
          clearTimeout(timer)
          this.byState.delete(state)
          resolve(yes)
        }
        const timer = setTimeout(settle, PATIENCE_MS, false).unref()
        question.signal?.addEventListener('abort', () => settle(false), { once: true })
        this.byState.set(state, { call, first, settle })
        if (this.byState.size > MOST) this.byState.values().next().value?.settle(false)
        answer(inputRequired(call.id!, question, state))
      })
  }

  /** The call that a repeated request belongs to. Its answer counts only for the same tool and arguments. */
  find(params: Readonly<Record<string, unknown>>, tool: Tool): Held | 'foreign' | undefined {
    const { requestState } = params
    if (typeof requestState !== 'string') return undefined
    const held = this.byState.get(requestState)
    if (!held) return requestState.startsWith(PREFIX) ? 'foreign' : undefined
    return isSameCall(held.call.given, tool) ? held : 'foreign'
  }

  close(): void {
    for (const { settle } of [...this.byState.values()]) settle(false)
  }
}

export const isSameCall = (a: Tool, b: Tool): boolean =>
  a.name === b.name && isDeepStrictEqual(a.arguments, b.arguments)

/** Only a clear yes. */
export function isApproved({ inputResponses }: Readonly<Record<string, unknown>>): boolean {
  const response = isObject(inputResponses) ? inputResponses[KEY] : undefined
  return (
    isObject(response) &&
    response.action === 'accept' &&
    isObject(response.content) &&
    response.content.allow === true
  )
}

const inputRequired = (id: string, { message, fields }: Question, state: string): string =>
  resultAnswer(id, {
    resultType: 'input_required',
    inputRequests: {
      [KEY]: {
        method: 'elicitation/create',
        params: { mode: 'form', message: wordsOf(message, fields), requestedSchema: FORM },
      },
    },
    requestState: state,
  })
