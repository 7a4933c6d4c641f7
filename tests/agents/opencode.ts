// OpenCode. It declares no Node: the package of the platform is a program of its own.

import { join } from 'node:path'
import { type Call, following, isConversation, MODEL, type Said, toldIn } from './completions.js'
import type { Driver, Ran, Turn } from './driver.js'
import { openModel } from './model.js'
import { mustHaveStayed, offline } from './offline.js'
import { finished, installed } from './program.js'
import type { Stage } from './stage.js'

const PROGRAM = { package: 'opencode-ai', version: '1.18.33' }

export async function runOpencode(
  stage: Stage,
  prompt: string,
  turns: readonly (Turn | Call)[],
  more: readonly string[] = [],
): Promise<Ran> {
  const folder = await installed(PROGRAM)
  const bin = join(folder, `../opencode-${process.platform}-${process.arch}/bin/opencode`)
  const model = await openModel(following(turns.map(turn => saidOf(stage, turn))))
  stage.addToHome('.config/opencode/opencode.json', settingsFor(`${model.url}/v1`))
  try {
    const { exitCode, output } = await finished(bin, ['run', ...more, ...prompt.split(' ')], {
      cwd: stage.project,
      // It looks for the types of plugins in the registry, and goes on without them.
      env: stage.env({ ...QUIET, ...offline(model), npm_config_registry: model.url }),
      timeoutMs: 90_000,
    })
    mustHaveStayed(model.asked, output)
    return { exitCode, output, told: model.asked.filter(isConversation).map(toldIn) }
  } finally {
    await model.close()
  }
}

export const opencode: Driver = {
  agent: 'opencode',
  program: PROGRAM,
  cannot: { 'a stop hook sends the agent on, and its limit ends that': 'stop followup_message' },
  run: (stage, prompt, turns) => runOpencode(stage, prompt, turns),
}

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
}

const settingsFor = (baseURL: string) => ({
  model: `made/${MODEL}`,
  small_model: `made/${MODEL}`,
  autoupdate: false,
  share: 'disabled',
  provider: {
    made: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL, apiKey: 'made-up-key' },
      models: { [MODEL]: {} },
    },
  },
})

function saidOf({ project }: Stage, turn: Turn | Call): Said {
  if ('say' in turn || 'call' in turn) return turn
  if ('shell' in turn) return { call: 'bash', args: { command: turn.shell, description: 'A command.' } }
  if ('read' in turn) return { call: 'read', args: { filePath: join(project, turn.read) } }
  return { call: 'write', args: { filePath: join(project, turn.write), content: turn.content } }
}
