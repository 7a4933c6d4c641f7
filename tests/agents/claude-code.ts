// Claude Code, without a terminal, with the Messages API on this machine.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Driver, Ran, Turn } from './driver.js'
import { type Asked, events, json, openModel } from './model.js'
import { finished, installed } from './program.js'
import type { Stage } from './stage.js'

const program = { package: '@anthropic-ai/claude-code', version: '2.1.325' }

/** One call of a tool, in Claude Code's own words. */
export interface Call {
  readonly tool: string
  readonly input: object
}

/** What the model says in one answer: words, or calls that it makes at once. */
export type Said = string | readonly Call[]

export interface Talk {
  readonly prompt: string
  readonly says: readonly Said[]
  /** What it says as the subagent whose task holds this word. */
  readonly subagents?: Readonly<Record<string, readonly Said[]>>
  readonly args?: readonly string[]
}

export interface Talked extends Ran {
  /** What the subagents were told, request by request. */
  readonly toldBelow: readonly string[]
  /** Everything that was sent to the model, also beside the conversation. */
  readonly sent: string
}

export async function talk(stage: Stage, { prompt, says, subagents = {}, args = [] }: Talk): Promise<Talked> {
  const told: string[] = []
  const toldBelow: string[] = []
  const scripts = new Map(Object.entries({ ...subagents, '': says }).map(([who, all]) => [who, [...all]]))
  const model = await openModel(({ url, body }, response) => {
    const path = url.split('?')[0]
    if (path === '/v1/messages/count_tokens') return json(response, { input_tokens: 100 })
    if (path !== '/v1/messages' || body === null) return false
    const who = whoAsks(body, Object.keys(subagents))
    if (who !== null) (who === '' ? told : toldBelow).push(wordsOf([body.system, body.messages]).join('\n'))
    const said = who === null ? 'Proof' : (scripts.get(who)!.shift() ?? 'Done.')
    const message = messageOf(said, body.model)
    return body.stream === true ? events(response, streamed(message)) : json(response, message)
  })
  try {
    const ran = await finished(await binary(), ['-p', prompt, '--allowedTools', ALLOWED, ...args], {
      cwd: stage.project,
      env: stage.env(offline(model.url)),
      timeoutMs: 90_000,
    })
    stayedHere(model.asked, ran.output)
    return { ...ran, told, toldBelow, sent: JSON.stringify(model.asked.map(({ body }) => body)) }
  } finally {
    await model.close()
  }
}

export const claudeCode: Driver = {
  agent: 'claude-code',
  program,
  run: (stage, prompt, turns) => talk(stage, { prompt, says: turns.map(turn => saidOf(stage, turn)) }),
}

function saidOf({ project }: Stage, turn: Turn): Said {
  if ('say' in turn) return turn.say
  if ('shell' in turn) return [{ tool: 'Bash', input: { command: turn.shell, description: 'A step' } }]
  if ('read' in turn) return [{ tool: 'Read', input: { file_path: join(project, turn.read) } }]
  return [{ tool: 'Write', input: { file_path: join(project, turn.write), content: turn.content } }]
}

// ——— the program ———

/** The package of this platform: it stands beside the one that was asked for, and needs no install script. */
async function binary(): Promise<string> {
  const folder = await installed(program)
  const { platform, arch } = process
  const names = ['', '-musl'].map(libc => `claude-code-${platform}-${arch}${libc}`)
  const files = names.flatMap(name => ['claude', 'claude.exe'].map(file => join(dirname(folder), name, file)))
  const found = files.find(existsSync)
  if (!found) throw new Error(`${program.package} has no program for ${platform}-${arch}.`)
  return found
}

/** Without a terminal nobody can be asked, and root may not bypass permissions. */
const ALLOWED = 'Bash,Read,Write,Edit,Agent,Monitor,mcp__everything'

const offline = (url: string): NodeJS.ProcessEnv => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'made-up',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  NO_PROXY: '127.0.0.1',
})

/** The model is also the proxy for everything else: whatever wants to leave this machine is seen. */
function stayedHere(asked: readonly Asked[], output: string): void {
  const away = asked.filter(({ method, url }) => method === 'CONNECT' || !url.startsWith('/'))
  const urls = away.map(({ url }) => url).join(', ')
  if (away.length > 0) throw new Error(`Claude Code wanted to leave this machine: ${urls}\n${output}`)
}

// ——— the model ———

interface Body {
  readonly model: string
  readonly stream?: boolean
  readonly system?: unknown
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** Empty for the conversation itself, the word for one of its subagents, null for a request beside it. */
function whoAsks({ tools = [], messages }: Body, words: readonly string[]): string | null {
  if (!tools.some(({ name }) => name === 'Bash')) return null
  const task = wordsOf(messages.find(({ role }) => role === 'user')?.content).join('\n')
  return words.find(word => task.includes(word)) ?? ''
}

/** Every text in it, without what JSON adds. */
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
    const isText = block.type === 'text'
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    return [
      {
        type: 'content_block_start',
        index,
        content_block: isText ? { ...block, text: '' } : { ...block, input: {} },
      },
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
