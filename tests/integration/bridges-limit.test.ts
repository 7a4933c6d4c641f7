// The limit of a bridge call, as a process with a real clock: undecided hooks count as a deny after it.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStates, statesFolder } from '@holdfast/hooks/bridges'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AGENTS, type AgentName, type Answered, BLOCKS, SHAPES } from '../fixtures/agents.js'
import { until, Workspace } from '../fixtures/workspace.js'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

let place: Workspace
beforeEach(async () => {
  place = new Workspace()
  for (const name of AGENTS) await createStates(statesFolder(place.home, { name }))
})
afterEach(() => place.close())

/** Collects garbage all the time: unreferenced signals are then gone before they abort. */
function collecting(): NodeJS.ProcessEnv {
  const file = place.write(join(place.base, 'collect.cjs'), 'setInterval(() => global.gc(), 20).unref()\n')
  return { ...process.env, NODE_OPTIONS: `--expose-gc --require=${file}` }
}

function start(agent: AgentName, kind: 'tool' | 'prompt', limit: string, env = process.env): ChildProcess {
  const { home, enterprise, root } = place
  const args = ['bridge', agent, '--home', home, '--enterprise', enterprise, '--limit', limit]
  return spawn(process.execPath, [BIN, ...args, '--event', SHAPES[agent][kind]], { cwd: root, env })
}

async function answered(child: ChildProcess): Promise<Answered> {
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout!.on('data', chunk => out.push(String(chunk)))
  child.stderr!.on('data', chunk => err.push(String(chunk)))
  child.stdin!.on('error', () => {})
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { stdout: out.join(''), stderr: err.join(''), exitCode: code ?? -1 }
}

const payloadOf = (agent: AgentName, kind: 'tool' | 'prompt') =>
  JSON.stringify({
    cwd: place.root,
    ...(kind === 'tool' ? SHAPES[agent].shell('ls') : SHAPES[agent].ask('hi')),
  })

const started = () => join(place.base, 'started')
/** Would allow after a minute, without `failClosed`. */
const slow = () => ({ command: `touch ${started()}; sleep 60`, timeout: 900 })

describe.each(AGENTS)('%s', agent => {
  it('denies a call whose hook is slower than the limit', async () => {
    place.user({ beforeShellExecution: [slow()] })
    // One of them is enough for the garbage collection, which uses a core.
    const child = start(agent, 'tool', '1', agent === 'claude-code' ? collecting() : process.env)
    child.stdin!.end(payloadOf(agent, 'tool'))
    const response = await answered(child)
    expect(BLOCKS[agent](SHAPES[agent].tool, response)).toBe(true)
    expect(response.stdout + response.stderr).toMatch(/took too long|in time|time limit/)
  })
})

it('denies a prompt whose hook is slower than the limit', async () => {
  place.user({ beforeSubmitPrompt: [slow()] })
  const child = start('claude-code', 'prompt', '1')
  child.stdin!.end(payloadOf('claude-code', 'prompt'))
  expect(BLOCKS['claude-code']('UserPromptSubmit', await answered(child))).toBe(true)
})

it('blocks when the payload does not end', async () => {
  const child = start('claude-code', 'tool', '0.5')
  child.stdin!.write('{')
  expect(await answered(child)).toMatchObject({ exitCode: 2, stdout: '' })
})

it('ends with a failure when no byte of the payload comes', async () => {
  // Entries make exit code 2 of each failure.
  const { exitCode, stdout, stderr } = await answered(start('claude-code', 'tool', '0.5'))
  expect({ isFailure: exitCode !== 0, stdout }).toEqual({ isFailure: true, stdout: '' })
  expect(stderr).toContain('did not finish within its time limit')
})

it('does not wait for the end of stdin after a complete payload', async () => {
  const child = start('claude-code', 'tool', '590')
  child.stdin!.write(`${payloadOf('claude-code', 'tool')}\n`)
  expect((await answered(child)).exitCode).toBe(0)
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('denies when it is ended by %s', async signal => {
  place.user({ beforeShellExecution: [slow()] })
  const child = start('codex', 'tool', '590')
  child.stdin!.end(payloadOf('codex', 'tool'))
  const response = answered(child)
  await until(() => existsSync(started()))
  child.kill(signal)
  const { stdout, exitCode } = await response
  // With exit code 0 the agent reads the deny; with another one the entry continues with `|| exit 2`.
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe('deny')
  expect(exitCode).not.toBe(2)
})

it.each(['0', '-1', '', 'soon', '591', 'NaN'])('does not take %j as a limit', async limit => {
  const child = start('claude-code', 'tool', limit)
  child.stdin!.end('{}')
  const { stderr, exitCode } = await answered(child)
  expect({ exitCode, isNamed: stderr.includes('--limit') }).toEqual({ exitCode: 1, isNamed: true })
})
