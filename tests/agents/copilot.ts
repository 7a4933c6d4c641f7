// Copilot CLI with a custom provider, which needs no account.

import { join } from 'node:path'
import { type Call, following, isConversation, MODEL, type Said, toldIn } from './completions.js'
import type { Driver, Ran, Turn } from './driver.js'
import { type Model, openModel } from './model.js'
import { mustHaveStayed, offline } from './offline.js'
import { binOf, finished, installed } from './program.js'
import type { Stage } from './stage.js'

const PROGRAM = { package: '@github/copilot', version: '1.0.102' }

export const KEY = 'made-up-key'

export async function runCopilot(
  stage: Stage,
  prompt: string,
  turns: readonly (Turn | Call)[],
  args: readonly string[] = [],
  isManaged = false,
): Promise<Ran> {
  const bin = binOf(await installed(PROGRAM), 'copilot')
  const model = await openModel(following(turns.map(turn => saidOf(stage, turn))))
  try {
    const { exitCode, output } = await finished(
      process.execPath,
      [bin, '--allow-all-tools', ...args, '--prompt', prompt],
      {
        cwd: stage.project,
        env: stage.env(onlyTo(model)),
        etc: isManaged ? join(stage.machine, 'etc') : undefined,
        timeoutMs: 90_000,
      },
    )
    mustHaveStayed(model.asked, output)
    return { exitCode, output, told: model.asked.filter(isConversation).map(toldIn) }
  } finally {
    await model.close()
  }
}

export const copilot: Driver = {
  agent: 'copilot',
  program: PROGRAM,
  run: (stage, prompt, turns) => runCopilot(stage, prompt, turns),
}

const onlyTo = (model: Model): NodeJS.ProcessEnv => ({
  COPILOT_OFFLINE: 'true',
  COPILOT_AUTO_UPDATE: 'false',
  COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
  COPILOT_PROVIDER_API_KEY: KEY,
  COPILOT_MODEL: MODEL,
  ...offline(model),
})

function saidOf({ project }: Stage, turn: Turn | Call): Said {
  if ('say' in turn || 'call' in turn) return turn
  if ('shell' in turn) return { call: 'bash', args: { command: turn.shell, description: 'A step' } }
  if ('read' in turn) return { call: 'view', args: { path: join(project, turn.read) } }
  return { call: 'create', args: { path: join(project, turn.write), file_text: turn.content } }
}
