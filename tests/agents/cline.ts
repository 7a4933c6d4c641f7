// Cline. It declares no Node: the package of the platform is a program of its own.

import { join } from 'node:path'
import { type Call, following, isConversation, MODEL, type Said, toldIn } from './completions.js'
import type { Driver, Ran, Turn } from './driver.js'
import { openModel } from './model.js'
import { mustHaveStayed, offline } from './offline.js'
import { finished, installed } from './program.js'
import type { Stage } from './stage.js'

const PROGRAM = { package: 'cline', version: '3.0.65' }
const SETTINGS = '.cline/data/settings'

export async function runCline(stage: Stage, prompt: string, turns: readonly (Turn | Call)[]): Promise<Ran> {
  const folder = await installed(PROGRAM)
  const bin = join(folder, `../@cline/cli-${process.platform}-${process.arch}/bin/cline`)
  const model = await openModel(following(turns.map(turn => saidOf(stage, turn))))
  stage.addToHome(`${SETTINGS}/providers.json`, providersFor(`${model.url}/v1`))
  stage.addToHome(`${SETTINGS}/global-settings.json`, { telemetryOptOut: true, autoUpdateEnabled: false })
  // With a recent copy it does not ask for them.
  const flags = { featureFlags: {}, featureFlagPayloads: {} }
  const copy = { version: 2, updatedAt: Date.now(), userId: null, flagsPayload: flags }
  stage.addToHome('.cline/data/cache/feature-flags.json', copy)
  try {
    // Without the space, a single word would be a command.
    const { exitCode, output } = await finished(bin, [`${prompt} `], {
      cwd: stage.project,
      env: stage.env({ ...QUIET, ...offline(model) }),
      timeoutMs: 90_000,
    })
    mustHaveStayed(model.asked, output)
    return { exitCode, output, told: model.asked.filter(isConversation).map(toldIn) }
  } finally {
    await model.close()
  }
}

// On a busy machine, Cline would go on without a plugin that takes 4 seconds to load.
const QUIET = { CLINE_NO_AUTO_UPDATE: '1', CLINE_PLUGIN_IMPORT_TIMEOUT_MS: '60000' }

export const cline: Driver = {
  agent: 'cline',
  program: PROGRAM,
  cannot: { 'a stop hook sends the agent on, and its limit ends that': 'stop followup_message' },
  run: (stage, prompt, turns) => runCline(stage, prompt, turns),
}

const providersFor = (baseUrl: string) => ({
  version: 1,
  lastUsedProvider: 'openai-compatible',
  modes: {},
  providers: {
    'openai-compatible': {
      settings: { provider: 'openai-compatible', apiKey: 'made-up-key', model: MODEL, baseUrl },
      updatedAt: '2026-01-01T00:00:00.000Z',
      tokenSource: 'manual',
    },
  },
})

function saidOf({ project }: Stage, turn: Turn | Call): Said {
  if ('say' in turn || 'call' in turn) return turn
  if ('shell' in turn) return { call: 'run_commands', args: { commands: [turn.shell] } }
  if ('read' in turn) return { call: 'read_files', args: { files: [{ path: join(project, turn.read) }] } }
  return { call: 'editor', args: { path: join(project, turn.write), new_text: turn.content } }
}
