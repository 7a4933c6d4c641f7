// Claude Code without a terminal, with the Messages API on this machine.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Driver, Ran, Turn } from './driver.js'
import { openMessages, type Said, type Script } from './messages.js'
import type { Asked } from './model.js'
import { finished, installed } from './program.js'
import type { Stage } from './stage.js'

const program = { package: '@anthropic-ai/claude-code', version: '2.1.328' }

export interface Talk extends Script {
  readonly prompt: string
  readonly args?: readonly string[]
  /** The program sees the settings of the stage's machine. */
  readonly isManaged?: boolean
  readonly env?: NodeJS.ProcessEnv
}

export interface Talked extends Ran {
  /** The input of the subagents, request by request. */
  readonly toldBelow: readonly string[]
  /** Everything that was sent to the model, also outside of the conversation. */
  readonly sent: string
}

export const claudeCode: Driver = {
  agent: 'claude-code',
  program,
  run: (stage, prompt, turns) => talk(stage, { prompt, says: turns.map(turn => saidOf(stage, turn)) }),
}

export async function talk(
  stage: Stage,
  { prompt, args = [], isManaged, env, ...script }: Talk,
): Promise<Talked> {
  const model = await openMessages(script)
  try {
    const ran = await finished(await binary(), ['-p', prompt, '--allowedTools', ALLOWED, ...args], {
      cwd: stage.project,
      env: stage.env({ ...offline(model.url), CLAUDE_CODE_TMPDIR: stage.place.folder('tmp'), ...env }),
      etc: isManaged ? join(stage.machine, 'etc') : undefined,
      timeoutMs: 90_000,
    })
    stayedHere(model.asked, ran.output)
    const { told, toldBelow, asked } = model
    return { ...ran, told, toldBelow, sent: JSON.stringify(asked.map(({ body }) => body)) }
  } finally {
    await model.close()
  }
}

function saidOf({ project }: Stage, turn: Turn): Said {
  if ('say' in turn) return turn.say
  if ('shell' in turn) return [{ tool: 'Bash', input: { command: turn.shell, description: 'A step' } }]
  if ('read' in turn) return [{ tool: 'Read', input: { file_path: join(project, turn.read) } }]
  return [{ tool: 'Write', input: { file_path: join(project, turn.write), content: turn.content } }]
}

/** The package of this platform: it is beside the requested one and needs no install script. */
async function binary(): Promise<string> {
  const folder = await installed(program)
  const { platform, arch } = process
  const names = ['', '-musl'].map(libc => `claude-code-${platform}-${arch}${libc}`)
  const files = names.flatMap(name => ['claude', 'claude.exe'].map(file => join(dirname(folder), name, file)))
  const found = files.find(existsSync)
  if (!found) throw new Error(`${program.package} has no program for ${platform}-${arch}.`)
  return found
}

/** Without a terminal no user can be asked, and root may not bypass permissions. */
const ALLOWED = 'Bash,Read,Write,Edit,Agent,Monitor,Skill,mcp__everything'

const offline = (url: string): NodeJS.ProcessEnv => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'made-up',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  NO_PROXY: '127.0.0.1',
})

/** The model is also the proxy for everything else, so the test sees every request that would leave this machine. */
function stayedHere(asked: readonly Asked[], output: string): void {
  const away = asked.filter(({ method, url }) => method === 'CONNECT' || !url.startsWith('/'))
  const urls = away.map(({ url }) => url).join(', ')
  if (away.length > 0) throw new Error(`Claude Code wanted to leave this machine: ${urls}\n${output}`)
}
