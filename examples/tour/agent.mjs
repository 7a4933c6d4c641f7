// A real agent loop with real tools in its own project, under the hooks of the tour. Only the model is scripted.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHooks } from '@holdfast/hooks'
import { codingTools, scriptedModel, withAgent } from '@holdfast/hosts/ai-sdk'
import { say, sayTitle } from './print.mjs'

const shell = command => ({ calls: [{ tool: 'Shell', input: { command } }] })

// Harmless even without hooks: the remote does not exist, and there is nothing to install.
const LINES = [
  { text: 'I see what is here.', calls: [{ tool: 'LS', input: {} }] },
  { calls: [{ tool: 'Read', input: { file_path: '.env' } }] },
  { text: 'Then without it.', ...shell('npm install') },
  shell('git push --force nowhere main'),
  shell('curl --version | head -n 1'),
  { calls: [{ tool: 'Write', input: { file_path: 'notes.txt', content: 'Push by pull request.\n' } }] },
  { text: 'I left a note in notes.txt.' },
  { text: 'I looked again.' },
  { text: 'And once more.' },
]

/** `home` is a temporary folder. */
export async function watchAgent(home) {
  const workspace = join(home, 'project')
  mkdirSync(workspace)
  cpSync(join(dirname(fileURLToPath(import.meta.url)), '.cursor'), join(workspace, '.cursor'), {
    recursive: true,
  })
  writeFileSync(join(workspace, '.env'), 'TOKEN=1234\n')
  const project = { name: 'tour', version: '1.0.0' }
  writeFileSync(join(workspace, 'package.json'), JSON.stringify(project))
  const lock = { ...project, lockfileVersion: 3, packages: { '': project } }
  writeFileSync(join(workspace, 'package-lock.json'), JSON.stringify(lock))

  sayTitle('An agent works under these hooks: a real loop, real tools, a scripted model')
  const hooks = await openHooks({
    workspaceRoots: [workspace],
    home,
    enterpriseDir: join(home, 'enterprise'),
    trustAll: true,
    watch: false,
    onAsk: ({ message }) => {
      say(`    asked     ${message} yes, answered the tour`)
      return true
    },
  })
  hooks.register({
    event: 'afterShellExecution',
    run: ({ command }) => say(`    ran       ${command}`),
  })
  try {
    // No network, and no settings of the user.
    const npm = { npm_config_offline: 'true', npm_config_userconfig: join(home, 'npmrc') }
    const tools = codingTools({ workspace, env: { ...process.env, ...npm } })
    const prompt = 'Prepare the release'
    say(`gets    ${prompt}`)
    await withAgent({ hooks, workspace, model: scriptedModel(LINES), tools }, agent =>
      agent.send(prompt, {
        onPart: show(),
        onFollowup: message => say(`gets    ${message} (a hook continues)`),
      }),
    )
  } finally {
    await hooks.close()
  }
}

function show() {
  let text = ''
  return part => {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'text-end') {
      say(`says    ${text}`)
      text = ''
    }
    if (part.type === 'tool-call') say(`calls   ${part.toolName} ${Object.values(part.input)[0] ?? ''}`)
    if (part.type === 'tool-result') say(`    result    ${oneLine(part.output.output ?? part.output)}`)
    if (part.type === 'tool-error') say(`    stopped   ${oneLine(part.error.message)}`)
  }
}

const LONGEST = 130

function oneLine(text) {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}
