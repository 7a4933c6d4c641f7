// The Messages API with a model that follows a script: one for the conversation, one for its subagents.

import { type Asked, events, json, type Model, openModel } from './model.js'

/** One call of a tool, with the agent's own names. */
export interface Call {
  readonly tool: string
  readonly input: object
}

/** One response of the model: text, or concurrent calls. */
export type Said = string | readonly Call[]

export interface Script {
  readonly says: readonly Said[]
  /** The responses in subagents. */
  readonly saysBelow?: readonly Said[]
}

export interface Listener extends Model {
  /** The input of the conversation, request by request, and the actions of subagents. */
  readonly told: readonly string[]
  readonly toldBelow: readonly string[]
}

export async function openMessages({ says, saysBelow = [] }: Script): Promise<Listener> {
  const above = { script: [...says], told: [] as string[] }
  const below = { script: [...saysBelow], told: [] as string[] }
  const model = await openModel((asked, response) => {
    const { url, body } = asked
    const path = url.split('?')[0]
    if (path === '/v1/messages/count_tokens') return json(response, { input_tokens: 100 })
    if (path !== '/v1/messages' || body === null) return false
    const message = messageOf(saidTo(asked), body.model)
    return body.stream === true ? events(response, streamed(message)) : json(response, message)
  })
  return { ...model, told: above.told, toldBelow: below.told }

  /** Requests outside of the conversation, such as those for a title, do not advance the script. */
  function saidTo({ headers, body }: Asked): Said {
    const tools: readonly { name: string }[] = body.tools ?? []
    if (!tools.some(({ name }) => name === 'Bash')) return 'A title'
    const side = headers['x-claude-code-agent-id'] === undefined ? above : below
    side.told.push(wordsOf([body.system, body.messages]).join('\n'))
    return side.script.shift() ?? 'Done.'
  }
}

/** Every text in it, without JSON escapes. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}

let made = 0

function messageOf(said: Said, model: string) {
  const content =
    typeof said === 'string'
      ? [{ type: 'text', text: said } as const]
      : said.map(
          ({ tool, input }) => ({ type: 'tool_use', id: `toolu_${++made}`, name: tool, input }) as const,
        )
  return {
    id: `msg_${++made}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: typeof said === 'string' ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  }
}

function streamed(message: ReturnType<typeof messageOf>) {
  const { content, stop_reason, stop_sequence, usage } = message
  const blocks = content.flatMap((block, index) => {
    const [empty, delta] =
      block.type === 'text'
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ]
    return [
      { type: 'content_block_start', index, content_block: empty },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]
  })
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
}
