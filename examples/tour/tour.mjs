// A short tour: real events, real hooks, one verdict each. Also an example of a host that embeds the engine.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HookBlockedError, memoryTrustStore, openHooks } from '@holdfast/hooks'
import { watchAgent } from './agent.mjs'
import { say, sayTitle, sayVerdict } from './print.mjs'

const root = dirname(fileURLToPath(import.meta.url))
// A separate home, so that hooks of the user do not run.
const home = mkdtempSync(join(tmpdir(), 'holdfast-tour-'))

const hooks = await openHooks({
  workspaceRoots: [root],
  home,
  enterpriseDir: join(home, 'enterprise'),
  trust: memoryTrustStore(),
  watch: false,
  onAsk: ({ message }) => {
    say(`asked     ${message}`)
    say('answer    yes, answered the tour')
    return true
  },
})

try {
  sayTitle('The hooks of examples/tour are new here, so none of them may run yet')
  for (const { hook, state } of hooks.list()) say(`${state.padEnd(10)}${hook.event.padEnd(23)}${hook.name}`)
  await hooks.trust(hooks.list().map(({ hook }) => hook))
  say('')
  say('They are trusted now: by their content, until a byte of it changes.')

  const session = await hooks.startSession({ model: 'demo' })
  sayVerdict('A session begins', 'sessionStart', '', session.started)

  const shell = async (title, command) => {
    const verdict = await session.fire('beforeShellExecution', { command, cwd: root })
    sayVerdict(title, 'beforeShellExecution', command, verdict)
  }
  await shell('The agent runs a harmless command', 'ls -la')
  await shell('It wants to push with force', 'git push --force origin main')
  await shell('A guard that cannot decide is never silent about it', 'terraform apply')

  const read = { file_path: join(root, '.env'), content: 'TOKEN=…\n' }
  sayVerdict(
    'It wants to read a secret',
    'beforeReadFile',
    '.env',
    await session.fire('beforeReadFile', read),
  )

  const call = { tool_name: 'Shell', tool_input: { command: 'npm install', cwd: root } }
  sayVerdict(
    'A hook changes a call',
    'preToolUse',
    'Shell npm install',
    await session.fire('preToolUse', call),
  )

  sayTitle('guard() enforces: it returns, asks, or throws')
  const asked = await session.guard('beforeShellExecution', { command: 'npm publish', cwd: root })
  say(`returned  ${asked.command}`)
  try {
    await session.guard('beforeShellExecution', { command: 'git push -f', cwd: root })
  } catch (error) {
    if (!HookBlockedError.isInstance(error)) throw error
    say(`threw     ${error.userMessage}`)
    say(`to model  ${error.agentMessage}`)
  }

  for (let turn = 1; turn <= 3; turn++) {
    const verdict = await session.fire('stop', { status: 'completed' })
    sayVerdict(`The agent stops, turn ${turn}`, 'stop', `loop_count ${turn - 1}`, verdict)
  }
  await session.end()

  await watchAgent(home)

  sayTitle('Try it yourself')
  say('npx holdfast fire beforeShellExecution --command "git push -f" --root examples/tour --trust-all')
  say('npx holdfast explain beforeShellExecution --command "curl x" --root examples/tour')
  say('npx holdfast check --root examples/tour')
  say('node examples/agent/agent.mjs --help')
  say('')
} finally {
  await hooks.close()
  rmSync(home, { recursive: true, force: true })
}
