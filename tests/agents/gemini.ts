// Gemini CLI: its model calls functions, and its settings disable requests outside of the conversation.

import type { Driver, Ran, Turn } from './driver.js'
import { type Answer, type Asked, events, json, type Model, openModel } from './model.js'
import { mustHaveStayed, offline } from './offline.js'
import { binOf, finished, installed } from './program.js'
import type { Stage } from './stage.js'

const PROGRAM = { package: '@google/gemini-cli', version: '0.61.0' }

/** A model that is given by its name is used directly. */
const MODEL = 'gemini-2.5-flash'

export const KEY = 'made-up-key'

/** A tool under the name that Gemini CLI gives it. */
export interface Call {
  readonly call: string
  readonly args: object
}

export interface More {
  /** Settings of the user, beside the hooks. */
  readonly settings?: object
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly isTrusted?: boolean
}

export async function runGemini(
  stage: Stage,
  prompt: string,
  turns: readonly (Turn | Call)[],
  { settings = {}, args = ['--yolo'], env = {}, isTrusted = true }: More = {},
): Promise<Ran> {
  const bin = binOf(await installed(PROGRAM), 'gemini')
  stage.addToHome('.gemini/settings.json', { ...QUIET, ...settings })
  stage.addToHome('.gemini/trustedFolders.json', {
    [stage.project]: isTrusted ? 'TRUST_FOLDER' : 'DO_NOT_TRUST',
  })
  const model = await openModel(answering(turns))
  try {
    const { exitCode, output } = await finished(
      process.execPath,
      [bin, '--model', MODEL, ...args, '--prompt', prompt],
      { cwd: stage.project, env: stage.env({ ...onlyTo(model), ...env }), timeoutMs: 90_000 },
    )
    mustHaveStayed(model.asked, output)
    return { exitCode, output, told: model.asked.filter(isConversation).map(toldIn) }
  } finally {
    await model.close()
  }
}

export const gemini: Driver = {
  agent: 'gemini',
  program: PROGRAM,
  run: (stage, prompt, turns) => runGemini(stage, prompt, turns),
}

const QUIET = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  model: { skipNextSpeakerCheck: true, disableLoopDetection: true },
}

const onlyTo = (model: Model): NodeJS.ProcessEnv => ({
  GEMINI_API_KEY: KEY,
  GOOGLE_GEMINI_BASE_URL: model.url,
  ...offline(model),
})

// ——— the model ———

/** The conversation is streamed; other requests are not, and consume no turn. */
const isConversation = ({ url }: Asked): boolean => url.includes(':streamGenerateContent')

function answering(turns: readonly (Turn | Call)[]): Answer {
  const left = [...turns]
  return (asked, response) => {
    if (isConversation(asked)) return events(response, [said(partOf(left.shift() ?? { say: 'Done.' }))])
    if (asked.url.includes(':countTokens')) return json(response, { totalTokens: 1 })
    if (asked.url.includes(':generateContent')) return json(response, said({ text: '{}' }))
    return false
  }
}

const said = (part: object) => ({
  candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: MODEL,
})

function partOf(turn: Turn | Call): object {
  if ('say' in turn) return { text: turn.say }
  const { call, args } = callOf(turn)
  return { functionCall: { name: call, args } }
}

function callOf(turn: Exclude<Turn, { say: string }> | Call): Call {
  if ('call' in turn) return turn
  if ('shell' in turn) return { call: 'run_shell_command', args: { command: turn.shell } }
  if ('read' in turn) return { call: 'read_file', args: { file_path: turn.read } }
  return { call: 'write_file', args: { file_path: turn.write, content: turn.content } }
}

function toldIn({ body }: Asked): string {
  const contents = [body.systemInstruction, ...body.contents]
  // biome-ignore lint/suspicious/noExplicitAny: whatever the agent sends
  const parts: any[] = contents.flatMap(content => content?.parts ?? [])
  return parts
    .map(({ text, functionResponse }) => text ?? JSON.stringify(functionResponse?.response ?? ''))
    .join('\n')
}
