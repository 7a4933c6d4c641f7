// A question of a hook, for an agent that cannot ask: it waits in the daemon, and the first answer counts.

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { ownPlace } from '../../packages/cli/src/daemon/place.js'
import { type Reply, readReply, writeRequest } from '../../packages/cli/src/daemon/protocol.js'
import { watched } from '../processes.js'
import { Around, hasClient, PROGRAM } from './around.js'

const ASKS = `#!/bin/sh\ncat > /dev/null\necho '{"permission": "ask", "user_message": "Push it?"}'\n`

const SERVER = fileURLToPath(new URL('../fixtures/mcp/scripted.mjs', import.meta.url))

let around: Around

const open = async (timeout = 60) => {
  around = new Around({ beforeShellExecution: [{ command: './hook.sh', timeout }] }, { 'hook.sh': ASKS })
  for (const agent of ['codex', 'claude-code', 'gemini'])
    await around.byNode('SessionStart', around.payload('SessionStart', { source: 'startup' }), { agent })
  await around.startDaemon()
}

afterEach(() => around.close())

/** What `holdfast approvals` sends, without its check for a terminal. */
async function call(...words: string[]): Promise<Reply> {
  const token = String(Math.random()).slice(2).padEnd(32, '0').slice(0, 32)
  around.put(`.holdfast/run/call-${token}`, '')
  const socket = connect({ path: around.socket, allowHalfOpen: true })
  const { home, env } = around
  const body = Buffer.alloc(0)
  socket.write(
    writeRequest({ token, place: ownPlace(), home, cwd: '/', words: [PROGRAM, ...words], env, body }),
  )
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  await new Promise(resolve => socket.once('end', resolve))
  socket.destroy()
  rmSync(join(around.run, `call-${token}`), { force: true })
  return readReply(Buffer.concat(chunks), token) as Reply
}

interface Shown {
  readonly id: string
  readonly agent: string
  readonly subject: string
  readonly message: string
}

async function question(): Promise<Shown> {
  let found: Shown[] = []
  await expect
    .poll(async () => {
      found = JSON.parse((await call('approvals', 'list')).stdout)
      return found.length
    })
    .toBe(1)
  return found[0]!
}

const codex = { agent: 'codex' }

describe('a question', () => {
  it.runIf(hasClient)('is approved: the agent gets what it gets without a question', async () => {
    await open()
    const ended = around.byClient('PreToolUse', around.shell('git push'), codex)
    const { id, ...shown } = await question()
    expect(shown).toMatchObject({ agent: 'Codex', subject: 'git push', message: 'Push it?' })
    expect((await call('approvals', 'allow', id)).exitCode).toBe(0)
    expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' })
    // The first answer counts.
    expect((await call('approvals', 'deny', id)).exitCode).toBe(1)
  })

  it.runIf(hasClient)('is refused: a deny that says so', async () => {
    await open()
    const ended = around.byClient('PreToolUse', around.shell('git push'), codex)
    await call('approvals', 'deny', (await question()).id)
    expect((await ended).stdout).toMatch(/"permissionDecision":"deny".*A person refused this/)
  })

  it('of a bridge that runs in Node waits in the daemon, too', async () => {
    await open()
    const input = around.payload('BeforeTool', {
      tool_name: 'run_shell_command',
      tool_input: { command: 'git push' },
    })
    const ended = around.byNode('BeforeTool', input, { agent: 'gemini' })
    const { id, agent } = await question()
    expect(agent).toBe('Gemini CLI')
    await call('approvals', 'deny', id)
    expect((await ended).stdout).toContain('A person refused this')
  })

  it('without an answer is a deny that says so', async () => {
    await open(1)
    const { stdout } = await around.byNode('PreToolUse', around.shell('git push'), codex)
    expect(stdout).toMatch(/"permissionDecision":"deny".*nobody answered within 1 seconds?/)
  })

  it('of Claude Code without a terminal waits; with one, Claude Code asks', async () => {
    await open()
    const env = { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }
    const ended = around.byNode('PreToolUse', around.shell('git push'), { env })
    await call('approvals', 'allow', (await question()).id)
    expect((await ended).stdout).toContain('"permissionDecision":"allow"')
    const interactive = await around.byNode('PreToolUse', around.shell('git push'))
    expect(interactive.stdout).toContain('"permissionDecision":"ask"')
  })

  it('of an agent that stops waiting is withdrawn', async () => {
    await open()
    const controller = new AbortController()
    const ended = around.byNode('PreToolUse', around.shell('ls'), { ...codex, signal: controller.signal })
    await question()
    controller.abort()
    await ended
    await expect.poll(async () => (await call('approvals', 'list')).stdout).toBe('[]')
  })
})

describe('a question of the MCP gateway, for a client without forms,', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  }
  const GREETING = {
    ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'Editor', version: '1' } },
  }

  /** Calls a tool through `holdfast mcp`; resolves to the result. */
  function callTool(isModern: boolean, signal?: AbortSignal): Promise<string> {
    const args = [PROGRAM, 'mcp', '--trust-all', '--name', 'files', '--', process.execPath, SERVER]
    const call = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'write', arguments: { path: 'a' }, ...(isModern ? { _meta: META } : {}) },
    }
    const lines = [...(isModern ? [] : [GREETING]), call]
    const child = watched(
      spawn(process.execPath, args, {
        cwd: around.root,
        env: around.env,
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    signal?.addEventListener('abort', () => child.stdin.end())
    child.stdin.write(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    return new Promise(resolve => {
      let output = ''
      child.stdout.on('data', chunk => {
        output += chunk
        if (output.includes('"id":1,')) child.stdin.end()
      })
      child.once('close', () => resolve(output))
    })
  }

  const openGateway = (timeout = 60) => {
    around = new Around({ beforeMCPExecution: [{ command: './hook.sh', timeout }] }, { 'hook.sh': ASKS })
  }

  it.each([
    ['greeted', false, 'Editor'],
    ['of revision 2026-07-28', true, 'An MCP client'],
  ])('%s, waits in the daemon, and the call passes after a yes', async (_, isModern, client) => {
    openGateway()
    await around.startDaemon()
    const ended = callTool(isModern)
    const { id, ...shown } = await question()
    expect(shown).toMatchObject({ agent: client, subject: 'write {"path":"a"}', message: 'Push it?' })
    await call('approvals', 'allow', id)
    expect(await ended).toMatch(/"id":1,"result":\{"content":\[\]/)
  })

  it('is denied with the reason after a no, and without an answer', async () => {
    openGateway(1)
    await around.startDaemon()
    const ended = callTool(false)
    await call('approvals', 'deny', (await question()).id)
    expect(await ended).toMatch(/A person refused this\..*"isError":true/)
    expect(await callTool(true)).toMatch(/nobody answered within 1 second\..*"isError":true/)
  })

  it('is withdrawn when the client leaves', async () => {
    openGateway()
    await around.startDaemon()
    const controller = new AbortController()
    const ended = callTool(false, controller.signal)
    await question()
    controller.abort()
    await expect.poll(async () => (await call('approvals', 'list')).stdout).toBe('[]')
    expect(await ended).not.toContain('"content":[]')
  })

  it('is a deny that names the daemon if none runs', async () => {
    openGateway()
    expect(await callTool(false)).toMatch(/holdfast daemon start.*"isError":true/)
  })
})

describe('an answer', () => {
  it('needs a terminal, and no agent around it', async () => {
    await open()
    const allow = around.cli(['approvals', 'allow', 'abcd'])
    expect({ status: allow.status, stderr: allow.stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('terminal'),
    })
  })

  it.runIf(hasClient)('by the agent is a question itself', async () => {
    await open()
    const input = around.shell('holdfast approvals allow abcd')
    const ended = around.byClient('PreToolUse', input, codex)
    const { id, message } = await question()
    expect(message).toContain('holdfast approvals')
    await call('approvals', 'deny', id)
    expect((await ended).stdout).toContain('"deny"')
  })
})
