// Codex, as `codex exec` runs it. Its newer models get one tool, which runs scripts that call the others; older ones
// get all of them. Both are tested: the driver follows its model.

import { join } from 'node:path'
import { type Listed, trusted, type Where } from './codex-trust.js'
import type { Driver, Ran, Turn } from './driver.js'
import { type Answer, type Asked, events, type Model, openModel } from './model.js'
import { binOf, finished, installed } from './program.js'
import type { Stage } from './stage.js'

const PROGRAM = { package: '@openai/codex', version: '0.169.0' } as const
const TIMEOUT_MS = 60_000
const WAIT_MS = 30_000

/** Turns that only this agent supports. */
export type CodexTurn =
  | Turn
  /** A command, and the folder it runs in. */
  | { readonly shell: string; readonly in: string }
  | { readonly patch: string }
  | { readonly image: string }
  /** A tool of an MCP server, and its arguments. */
  | { readonly server: string; readonly tool: string; readonly input: object }
  /** The task of a subagent, and the actions of the subagent. */
  | { readonly spawn: string }
  /** Waits until a subagent has a result. */
  | { readonly wait: true }

export interface Wanted {
  /** The actions of a subagent, in order. */
  readonly subagent?: readonly CodexTurn[]
  /** The hooks were not reviewed, so they are not trusted. */
  readonly isUntrusted?: boolean
  /** Keys of config.toml that a user has set. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** The program sees the settings of the stage's machine. */
  readonly isManaged?: boolean
}

export interface CodexRan extends Ran {
  /** The input of a subagent's model, for each of its requests. */
  readonly toldSubagent: readonly string[]
}

/** How a model of Codex calls its tools. */
interface Speech {
  readonly model: string
  /** The response item for this turn; it may need what was sent so far. */
  item(turn: CodexTurn, id: string, told: string): object
}

const message = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

const functionCall = (call_id: string, name: string, input: object, namespace?: string) => ({
  type: 'function_call',
  call_id,
  name,
  ...(namespace ? { namespace } : {}),
  arguments: JSON.stringify(input),
})

const customCall = (call_id: string, name: string, input: string) => ({
  type: 'custom_tool_call',
  call_id,
  name,
  input,
})

const added = (path: string, content: string): string =>
  `*** Begin Patch\n*** Add File: ${path}\n${content.replace(/^/gm, '+')}\n*** End Patch\n`

/** No tool reads files. */
const commandOf = (turn: { shell: string; in?: string } | { read: string }): object =>
  'shell' in turn
    ? { cmd: turn.shell, ...(turn.in ? { workdir: turn.in } : {}) }
    : { cmd: `cat '${turn.read.replaceAll("'", `'\\''`)}'` }

/** Tools are called directly. */
const ONE_BY_ONE: Speech = {
  model: 'gpt-5.5',
  item(turn, id, told) {
    if ('say' in turn) return message(turn.say)
    if ('patch' in turn) return customCall(id, 'apply_patch', turn.patch)
    if ('write' in turn) return customCall(id, 'apply_patch', added(turn.write, turn.content))
    if ('image' in turn) return functionCall(id, 'view_image', { path: turn.image })
    if ('tool' in turn) return functionCall(id, turn.tool, turn.input, `mcp__${turn.server}`)
    if ('spawn' in turn) return functionCall(id, 'spawn_agent', { message: turn.spawn }, 'multi_agent_v1')
    if ('wait' in turn) {
      const targets = [/"agent_id":"([^"]+)"/.exec(told)?.[1] ?? '']
      return functionCall(id, 'wait_agent', { targets, timeout_ms: WAIT_MS }, 'multi_agent_v1')
    }
    return functionCall(id, 'exec_command', commandOf(turn))
  },
}

/** Tools are called by a script. */
const BY_SCRIPT: Speech = {
  model: 'gpt-6-sol',
  item(turn, id) {
    const script = (tool: string, input: unknown) =>
      customCall(id, 'exec', `text(await tools.${tool}(${JSON.stringify(input)}))`)
    if ('say' in turn) return message(turn.say)
    if ('patch' in turn) return script('apply_patch', turn.patch)
    if ('write' in turn) return script('apply_patch', added(turn.write, turn.content))
    if ('image' in turn) return script('view_image', { path: turn.image })
    if ('tool' in turn) return script(`mcp__${turn.server}__${turn.tool}`, turn.input)
    if ('spawn' in turn) {
      return functionCall(id, 'spawn_agent', { task_name: id, message: turn.spawn }, 'collaboration')
    }
    if ('wait' in turn) return functionCall(id, 'wait_agent', { timeout_ms: WAIT_MS }, 'collaboration')
    return script('exec_command', commandOf(turn))
  },
}

export interface CodexDriver extends Driver {
  run(stage: Stage, prompt: string, turns: readonly CodexTurn[], wanted?: Wanted): Promise<CodexRan>
  /** Trusts the present hooks, and returns them. */
  trust(stage: Stage, settings?: Readonly<Record<string, unknown>>): Promise<Listed[]>
}

const driven = (title: string, speech: Speech): CodexDriver => ({
  agent: 'codex',
  title,
  program: PROGRAM,
  trust: (stage, settings) => inside(stage, nobody, at => trusted(at, settings)),
  async run(stage, prompt, turns, { subagent = [], isUntrusted, settings = {}, isManaged } = {}) {
    const main = scripted(speech, turns)
    const inner = scripted(speech, subagent)
    const answer: Answer = (asked, response) =>
      isTurn(asked) ? events(response, (isMain(asked) ? main : inner).next(asked)) : false
    return inside(stage, answer, async (at, model) => {
      if (!isUntrusted) await trusted(at, settings)
      const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
      const all = [...at.args, 'exec', ...flags, '-c', `model="${speech.model}"`, prompt]
      const etc = isManaged ? join(stage.machine, 'etc') : undefined
      const ran = await finished(at.file, all, { cwd: at.cwd, env: at.env, etc, timeoutMs: TIMEOUT_MS })
      const away = model.asked.filter(({ method, url }) => method === 'CONNECT' || !url.startsWith('/'))
      if (away.length > 0) throw new Error(`Codex wanted to leave this machine: ${away[0]!.url}`)
      return { ...ran, told: main.told, toldSubagent: inner.told }
    })
  },
})

export const codex = driven('codex', ONE_BY_ONE)
export const codexByScript = driven('codex, by script', BY_SCRIPT)

const nobody: Answer = () => false

/** A model, and the program configured to use it and nothing else. */
async function inside<T>(
  stage: Stage,
  answer: Answer,
  work: (at: Where, model: Model) => Promise<T>,
): Promise<T> {
  const program = binOf(await installed(PROGRAM), 'codex')
  const model = await openModel(answer)
  const provider = `{name="script",base_url="${model.url}/v1",wire_api="responses",env_key="SCRIPT_KEY",supports_websockets=false}`
  const settings = [
    'model_provider="script"',
    `model_providers.script=${provider}`,
    'analytics.enabled=false',
    'otel.metrics_exporter="none"',
    'check_for_update_on_startup=false',
    'features.plugins=false',
    'features.apps=false',
  ]
  // A request to any other place arrives here as a proxy request; it is refused and recorded.
  const away = { HTTPS_PROXY: model.url, HTTP_PROXY: model.url, ALL_PROXY: model.url, NO_PROXY: '127.0.0.1' }
  try {
    const args = [program, ...settings.flatMap(one => ['-c', one])]
    const env = stage.env({ SCRIPT_KEY: 'made-up', ...away })
    return await work({ file: process.execPath, args, cwd: stage.project, env }, model)
  } finally {
    await model.close()
  }
}

/** One request of a conversation; all other requests get no response. */
function isTurn({ method, url, headers }: Asked): boolean {
  const told = headers['x-codex-turn-metadata']
  if (method !== 'POST' || url !== '/v1/responses' || typeof told !== 'string') return false
  return JSON.parse(told).request_kind === 'turn'
}

const isMain = ({ headers }: Asked): boolean => headers['thread-id'] === headers['session-id']

/** Responds with one turn after the other, then says that it is done. */
function scripted(speech: Speech, turns: readonly CodexTurn[]) {
  const told: string[] = []
  return {
    told,
    next({ body }: Asked): { readonly type: string; [key: string]: unknown }[] {
      const turn = turns[told.length] ?? { say: 'Done.' }
      const id = `c${told.length + 1}`
      const words = wordsIn(body?.input).join('\n')
      told.push(words)
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
      return [
        { type: 'response.created', response: { id: `r-${id}` } },
        { type: 'response.output_item.done', output_index: 0, item: speech.item(turn, id, words) },
        { type: 'response.completed', response: { id: `r-${id}`, usage } },
      ]
    },
  }
}

/** Every text of the request. */
function wordsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsIn) : []
}
