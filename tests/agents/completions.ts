// A model with OpenAI's chat completions API.

import { type Answer, type Asked, events, json } from './model.js'

/** A tool under the name that the agent gives it. */
export interface Call {
  readonly call: string
  readonly args: object
}

export type Said = { readonly say: string } | Call

/** Requests outside of the conversation have no tools, and consume no turn. */
export const isConversation = ({ url, body }: Asked): boolean =>
  url.endsWith('/chat/completions') && Array.isArray(body?.tools) && body.tools.length > 0

export function following(turns: readonly Said[]): Answer {
  const left = [...turns]
  return (asked, response) => {
    if (!asked.url.endsWith('/chat/completions')) return false
    const message = messageOf(isConversation(asked) ? (left.shift() ?? { say: 'Done.' }) : { say: '{}' })
    const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop'
    const chunk = (delta: object, reason: string | null) => ({
      ...HEAD,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...(reason === null ? {} : { usage: USAGE }),
    })
    if (asked.body.stream) return events(response, [chunk(message, null), chunk({}, finish_reason)])
    const choices = [{ index: 0, message, finish_reason }]
    return json(response, { ...HEAD, object: 'chat.completion', choices, usage: USAGE })
  }
}

export const MODEL = 'made-up-model'
const HEAD = { id: 'made-up', created: 1, model: MODEL }
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

let made = 0

function messageOf(said: Said): object {
  if ('say' in said) return { role: 'assistant', content: said.say }
  const one = { name: said.call, arguments: JSON.stringify(said.args) }
  const tool_calls = [{ index: 0, id: `call_${++made}`, type: 'function', function: one }]
  return { role: 'assistant', content: null, tool_calls }
}

export const toldIn = ({ body }: Asked): string => wordsOf(body.messages).join('\n')

/** Every text in it, without JSON escapes. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}
