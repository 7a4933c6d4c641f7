// Qwen Code, with a model that speaks as OpenAI's do. It says that it wants Node 22, and runs with 20.

import { join } from 'node:path'
import type { Driver, Ran, Turn } from './driver.js'
import { type Answer, type Asked, events, json, type Model, openModel } from './model.js'
import { mustHaveStayed, offline } from './offline.js'
import { binOf, finished, installed } from './program.js'
import type { Stage } from './stage.js'

const PROGRAM = { package: '@qwen-code/qwen-code', version: '0.24.4' }

export const KEY = 'made-up-key'

/** A tool under the name that Qwen Code gives it. */
export interface Call {
  readonly call: string
  readonly args: object
}

export interface More {
  /** Of the person, beside the hooks. */
  readonly settings?: object
  readonly args?: readonly string[]
}

export async function runQwen(
  stage: Stage,
  prompt: string,
  turns: readonly (Turn | Call)[],
  { settings = {}, args = ['--yolo'] }: More = {},
): Promise<Ran> {
  const bin = binOf(await installed(PROGRAM), 'qwen')
  stage.addToHome('.qwen/settings.json', { ...QUIET, ...settings })
  const model = await openModel(answering(stage, turns))
  try {
    const { exitCode, output } = await finished(process.execPath, [bin, ...args, prompt], {
      cwd: stage.project,
      env: stage.env(onlyTo(model)),
      timeoutMs: 90_000,
    })
    mustHaveStayed(model.asked, output)
    return { exitCode, output, told: model.asked.filter(isConversation).map(toldIn) }
  } finally {
    await model.close()
  }
}

export const qwen: Driver = {
  agent: 'qwen',
  program: PROGRAM,
  cannot: {
    'a rewrite changes the command': 'updated_input',
    'a session begins once and ends once': 'sessionEnd',
  },
  run: (stage, prompt, turns) => runQwen(stage, prompt, turns),
}

const QUIET = {
  security: { auth: { selectedType: 'openai' } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
}

const onlyTo = (model: Model): NodeJS.ProcessEnv => ({
  OPENAI_API_KEY: KEY,
  OPENAI_BASE_URL: `${model.url}/v1`,
  OPENAI_MODEL: 'made-up-model',
  ...offline(model),
})

// ——— the model ———

/** What is asked on the side comes without tools, and takes no turn. */
const isConversation = ({ url, body }: Asked): boolean =>
  url.endsWith('/chat/completions') && Array.isArray(body?.tools) && body.tools.length > 0

function answering(stage: Stage, turns: readonly (Turn | Call)[]): Answer {
  const left = [...turns]
  return (asked, response) => {
    if (!asked.url.endsWith('/chat/completions')) return false
    const turn = isConversation(asked) ? (left.shift() ?? { say: 'Done.' }) : { say: '{}' }
    const message = messageOf(stage, turn)
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

const HEAD = { id: 'made-up', created: 1, model: 'made-up-model' }
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

let made = 0

function messageOf(stage: Stage, turn: Turn | Call): object {
  if ('say' in turn) return { role: 'assistant', content: turn.say }
  const { call, args } = callOf(stage, turn)
  const one = { name: call, arguments: JSON.stringify(args) }
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: `call_${++made}`, type: 'function', function: one }],
  }
}

function callOf({ project }: Stage, turn: Exclude<Turn, { say: string }> | Call): Call {
  if ('call' in turn) return turn
  if ('shell' in turn)
    return { call: 'run_shell_command', args: { command: turn.shell, is_background: false } }
  if ('read' in turn) return { call: 'read_file', args: { file_path: join(project, turn.read) } }
  return { call: 'write_file', args: { file_path: join(project, turn.write), content: turn.content } }
}

const toldIn = ({ body }: Asked): string => wordsOf(body.messages).join('\n')

/** Every text in it, without what JSON adds. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}
