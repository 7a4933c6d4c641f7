// An agent that works in rounds under the hooks of examples/tour and of the team: a real loop, real tools, real
// hooks. The model is scripted, and the programs that it calls are stand-ins.

import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHooks } from '@holdfast/hooks'
import { codingTools, scriptedModel, withAgent } from '@holdfast/hosts/ai-sdk'
import { root } from '../steps.mjs'
import { writeStandIns } from './stand-ins.mjs'

const shell = command => ({ calls: [{ tool: 'Shell', input: { command } }] })
const write = (file_path, content) => ({ calls: [{ tool: 'Write', input: { file_path, content } }] })
const read = file_path => ({ calls: [{ tool: 'Read', input: { file_path } }] })

const TASKS = [
  {
    prompt: 'Prepare the release',
    lines: [
      { text: 'I look around first.', calls: [{ tool: 'LS', input: {} }] },
      read('.env'),
      { text: 'Then without it.', ...shell('git status') },
      shell('git push --force nowhere main'),
      write('notes.txt', 'Push by pull request.\n'),
      { text: 'I left a note.' },
    ],
  },
  {
    prompt: 'Why do the tests fail?',
    lines: [
      shell('node --version'),
      read('package.json'),
      shell('ls -la'),
      { text: 'One test needs a file.' },
    ],
  },
  {
    prompt: 'Bring the cluster up to date',
    lines: [
      shell('terraform apply -auto-approve'),
      shell('curl --version'),
      { text: 'You decide about that.' },
    ],
  },
]
const PAUSE_MS = 6000

export async function startAgent(home) {
  const workspace = join(home, 'project')
  mkdirSync(workspace, { recursive: true })
  writeFileSync(join(workspace, '.env'), 'TOKEN=1234\n')
  writeFileSync(join(workspace, 'package.json'), '{ "name": "project", "version": "1.0.0" }\n')
  const hooks = await openHooks({
    workspaceRoots: [join(root, 'examples/tour')],
    home,
    enterpriseDir: join(home, 'enterprise'),
    log: { file: join(home, '.holdfast/log/runs.jsonl') },
    onAsk: () => true,
  })
  // Puts prompts into the log: no hook of the tour has that event.
  hooks.register({ event: 'beforeSubmitPrompt', name: 'demonstration', run: () => undefined })
  const programs = writeStandIns(join(home, 'programs'))
  // No variable of the user reaches the tools, so no credential does.
  const env = { PATH: `${programs}${delimiter}${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' }
  const tools = codingTools({ workspace, env })
  const stopping = new AbortController()
  const pause = () => sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {})
  const work = (async () => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const { prompt, lines } = TASKS[turn % TASKS.length]
      // Hooks of the tour continue the turn, so the script has two more lines.
      const model = scriptedModel([...lines, { text: 'I looked again.' }, { text: 'And once more.' }])
      await withAgent({ hooks, workspace, model, tools }, agent =>
        agent.send(prompt, { onPart: () => {}, signal: stopping.signal }),
      ).catch(error => {
        if (!stopping.signal.aborted)
          process.stderr.write(`  The agent of the demonstration failed: ${error.message}\n`)
      })
      await pause()
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await work
      hooks.close()
    },
  }
}
