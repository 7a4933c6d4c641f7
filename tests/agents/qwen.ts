// Qwen Code. It declares Node 22, and runs with 20.

import { join } from 'node:path'
import { type Call, following, isConversation, MODEL, type Said, toldIn } from './completions.js'
import type { Driver, Ran, Turn } from './driver.js'
import { type Model, openModel } from './model.js'
import { mustHaveStayed, offline } from './offline.js'
import { binOf, finished, installed } from './program.js'
import type { Stage } from './stage.js'

const PROGRAM = { package: '@qwen-code/qwen-code', version: '0.24.4' }

export const KEY = 'made-up-key'

export async function runQwen(
  stage: Stage,
  prompt: string,
  turns: readonly (Turn | Call)[],
  settings: object = {},
): Promise<Ran> {
  const bin = binOf(await installed(PROGRAM), 'qwen')
  stage.addToHome('.qwen/settings.json', { ...QUIET, ...settings })
  const model = await openModel(following(turns.map(turn => saidOf(stage, turn))))
  try {
    const { exitCode, output } = await finished(process.execPath, [bin, '--yolo', prompt], {
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
  OPENAI_MODEL: MODEL,
  ...offline(model),
})

function saidOf({ project }: Stage, turn: Turn | Call): Said {
  if ('say' in turn || 'call' in turn) return turn
  if ('shell' in turn) return { call: 'run_shell_command', args: { command: turn.shell } }
  if ('read' in turn) return { call: 'read_file', args: { file_path: join(project, turn.read) } }
  return { call: 'write_file', args: { file_path: join(project, turn.write), content: turn.content } }
}
