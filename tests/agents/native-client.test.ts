// The real programs with the entries that holdfast install writes where there is a native client: the daemon answers, and
// an action that a hook denies stays denied if the daemon ends or stops in the middle of the call.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasClient, isAlive } from '../warm-path/around.js'
import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { gemini } from './gemini.js'
import { installed } from './program.js'
import { Stage } from './stage.js'

const AGENTS = [claudeCode, codex, gemini]
const TURNS = [{ shell: 'echo yes > made.txt' }]

const NAMED = AGENTS.map(driver => [driver.agent, driver] as const)

describe.runIf(hasClient).each(NAMED)('%s with the native client', (agent, { program, run }) => {
  beforeAll(() => installed(program).then(() => {}), 600_000)

  let stage: Stage
  let pid: number
  const status = async () => JSON.parse((await stage.holdfast('daemon', 'status', '--json')).output)

  /** A hook that denies, and does this first when it runs for the first time. */
  async function open(first: string): Promise<void> {
    const base = stage.place.base
    const once = `if mkdir ${join(base, 'once')} 2> /dev/null; then ${first}; else mkdir ${join(base, 'again')}; fi`
    const command = `cat > ${join(base, 'payload')}; ${once}; echo '{"permission": "deny"}'`
    stage.place.user({ beforeShellExecution: [{ command }] })
    const { exitCode, output } = await stage.holdfast('install', agent, '--client', '--accept-loss')
    expect(exitCode, output).toBe(0)
    await stage.holdfast('daemon', 'start')
    pid = (await status()).pid
    stage.place.write(join(base, 'pid'), String(pid))
  }

  beforeEach(() => {
    stage = new Stage()
  })
  afterEach(async () => {
    for (const one of [pid, (await status()).pid]) if (one && isAlive(one)) process.kill(one, 'SIGKILL')
    await stage.close()
  })

  it('is answered by the daemon', async () => {
    await open('true')
    const { calls } = await status()
    const { output } = await run(stage, 'Make a file.', TURNS)
    expect(stage.has('made.txt'), output).toBe(false)
    expect(stage.has('../once')).toBe(true)
    // The session, the prompt and the tool call.
    expect((await status()).calls).toBeGreaterThanOrEqual(calls + 3)
  })

  it.each(['KILL', 'STOP'])('denies when the daemon receives SIG%s in the middle', async signal => {
    await open(`kill -${signal} "$(cat ${join(stage.place.base, 'pid')})"; sleep 1`)
    const { output } = await run(stage, 'Make a file.', TURNS)
    expect(stage.has('made.txt'), output).toBe(false)
    // Node ran the hook again.
    expect(stage.has('../again'), output).toBe(true)
  })

  it('denies without a client', async () => {
    await open('true')
    rmSync(join(stage.home, '.holdfast/bin/holdfast-client'))
    const { output } = await run(stage, 'Make a file.', TURNS)
    expect(stage.has('made.txt'), output).toBe(false)
    expect((await stage.holdfast('doctor', '--no-run')).output).toMatch(/holdfast-client\s+is\s+not\s+there/)
  })
})
