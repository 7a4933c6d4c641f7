// What the plugins of several agents share. Agents whose settings have no hooks load JavaScript, which `holdfast install`
// writes: it sends each event to the bridge in a form of our own.

import { contentOf } from './claude-code.js'
import type { OwnFile } from './settings.js'
import { type AgentEvent, compact, type Json, type StepsResult } from './types.js'

/** A plugin with these commands, on a line of its own. */
export const pluginFile = (source: string, agent: string, limitMs: number): OwnFile => ({
  write: commands =>
    [
      `// Written by holdfast. "holdfast uninstall ${agent}" removes this file.\n`,
      "import { spawn, spawnSync } from 'node:child_process'\n",
      `const ENTRIES = ${JSON.stringify(commands)}\n`,
      CALL.replace('LIMIT_MS', String(limitMs)),
      source,
    ].join('\n'),
  read(text) {
    const [, commands] = /^const ENTRIES = (\{.*\})$/m.exec(text) ?? []
    return commands === undefined ? undefined : JSON.parse(commands)
  },
})

const CALL = `function call(event, payload, directory) {
  const command = ENTRIES[event]
  if (command === undefined) return Promise.resolve({})
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] })
    const clock = setTimeout(() => {
      child.kill()
      reject(new Error('holdfast did not respond in time.'))
    }, LIMIT_MS)
    let [out, err] = ['', '']
    child.stdout.on('data', chunk => (out += chunk))
    child.stderr.on('data', chunk => (err += chunk))
    child.on('error', reject)
    child.on('close', code => {
      clearTimeout(clock)
      try {
        if (code !== 0) throw new Error(err.trim() || 'holdfast ended with ' + code)
        resolve(out.trim() === '' ? {} : JSON.parse(out))
      } catch (error) {
        reject(error)
      }
    })
    child.stdin.on('error', () => {})
    child.stdin.end(textOf(event, payload, directory))
  })
}

const textOf = (event, payload, cwd) => JSON.stringify({ ...payload, cwd, hook_event_name: event })

const join = (texts, end = '\\n\\n') => texts.filter(Boolean).join(end) || undefined
`

export function toPluginResponse({ kind }: AgentEvent, result: StepsResult): Json | null {
  const { decision, userMessage, agentMessage, input, context, followup, output } = result
  if (decision === 'deny') {
    const reason = agentMessage ?? userMessage ?? 'A hook denied this.'
    return compact({ decision, reason, message: userMessage === reason ? null : userMessage })
  }
  if (kind === 'prompt') return null
  if (kind === 'tool') return compact({ input })
  if (kind === 'turn' || kind === 'subagent') return compact({ followup })
  return compact({ context, output: output && contentOf(output), message: userMessage })
}
