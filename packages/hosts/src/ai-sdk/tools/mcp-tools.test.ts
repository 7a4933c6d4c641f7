// Tools of real MCP servers, started from an mcp.json, inside an agent with hooks.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startAgent } from '../agent/agent.js'
import { type ScriptedLine, scriptedModel } from '../agent/scripted-model.js'
import { openPlace, type Place } from '../agent/testing/place.js'
import { type McpTools, mcpTools } from './mcp-tools.js'

const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

const worst = fileURLToPath(new URL('testing/server.mjs', import.meta.url))

let place: Place
let mcp: McpTools | undefined
beforeEach(() => {
  place = openPlace()
})
afterEach(async () => {
  await mcp?.close()
  mcp = undefined
  place.close()
})

const servers = (mcpServers: object) => {
  place.write('.cursor/mcp.json', JSON.stringify({ mcpServers }))
}
const node = { command: process.execPath, args: [everything, 'stdio'] }

async function run(script: readonly ScriptedLine[], options: { timeoutMs?: number } = {}) {
  const { workspace } = place
  mcp = await mcpTools({ workspace, ...options })
  expect(mcp.problems).toEqual([])
  const model = scriptedModel(script)
  const agent = await startAgent({ hooks: await place.open(), model, workspace, ...mcp })
  await agent.send('Go')
  await agent.end()
  return JSON.stringify(model.prompts[1])
}

const failures = () =>
  place.audited().filter(({ hook_event_name }) => hook_event_name === 'postToolUseFailure')

const inner = () =>
  place
    .audited()
    .map(({ hook_event_name }) => hook_event_name)
    .slice(2, -3)

describe('a tool of a server', () => {
  beforeEach(() => servers({ every: node }))
  const echo = { calls: [{ tool: 'every_echo', input: { message: 'hi' } }] }

  it('has its events, with the server in them', async () => {
    place.audit()
    expect(await run([echo, { text: 'Done.' }])).toContain('Echo: hi')
    expect(inner()).toEqual(['preToolUse', 'beforeMCPExecution', 'afterMCPExecution', 'postToolUse'])
    const [pre, before, after] = place.audited().slice(2)
    expect(pre).toMatchObject({ tool_name: 'MCP:echo', tool_input: { message: 'hi' } })
    expect(before).toMatchObject({
      tool_name: 'echo',
      tool_input: '{"message":"hi"}',
      mcp_server_name: 'every',
      command: `${process.execPath} ${everything} stdio`,
    })
    expect(JSON.parse(after!.result_json as string)).toMatchObject({ content: [{ text: 'Echo: hi' }] })
  })

  it('is not called when a hook says so', async () => {
    place.audit({ beforeMCPExecution: [{ command: `echo '{"permission":"deny","agent_message":"No."}'` }] })
    expect(await run([echo, { text: 'Done.' }])).toContain('The MCP tool call was rejected by a hook: No.')
    expect(inner()).toEqual(['preToolUse', 'beforeMCPExecution', 'postToolUseFailure'])
  })

  it('returns what a hook makes of its output', async () => {
    const answer = { updated_mcp_tool_output: { content: [{ type: 'text', text: 'redacted' }] } }
    place.audit({ postToolUse: [{ command: `echo '${JSON.stringify(answer)}'` }] })
    const seen = await run([echo, { text: 'Done.' }])
    expect(seen).toContain('redacted')
    expect(seen).not.toContain('Echo: hi')
  })

  it('gets no input that does not fit its schema, from any author', async () => {
    const answer = { permission: 'allow', updated_input: { message: 7 } }
    place.audit({ preToolUse: [{ command: `echo '${JSON.stringify(answer)}'` }] })
    expect(await run([echo, { text: 'Done.' }])).toContain('A hook changed the input of MCP:echo')
    // Twice: the hook that records events also judges the changed input.
    expect(inner()).toEqual(['preToolUse', 'preToolUse', 'postToolUseFailure'])
  })
})

describe('a server at its worst', () => {
  beforeEach(() => {
    place.audit()
    servers({ worst: { command: process.execPath, args: [worst] } })
  })
  const calls = (...names: string[]) => [
    ...names.map(name => ({ calls: [{ tool: `worst_${name}`, input: {} }] })),
    { text: 'Done.' },
  ]

  it('that says it failed has failed', async () => {
    expect(await run(calls('fail'))).toContain('it broke')
    expect(inner()).toEqual(['preToolUse', 'beforeMCPExecution', 'afterMCPExecution', 'postToolUseFailure'])
    expect(failures()).toMatchObject([
      { tool_name: 'MCP:fail', error_message: 'it broke', failure_type: 'error' },
    ])
  })

  it('that ends in the middle of a call fails that call and the next', async () => {
    expect(await run(calls('die', 'fail'))).toContain('The MCP server \\"worst\\" has ended')
    const once = ['preToolUse', 'beforeMCPExecution', 'postToolUseFailure']
    expect(inner()).toEqual([...once, ...once])
    const error_message = 'The MCP server "worst" has ended. It is not started again.'
    expect(failures()).toMatchObject([
      { tool_name: 'MCP:die', failure_type: 'error', error_message },
      { tool_name: 'MCP:fail', failure_type: 'error', error_message },
    ])
  })

  it('that never answers is given up', async () => {
    expect(await run(calls('hang'), { timeoutMs: 2_000 })).toContain('did not answer within 2000 ms')
    expect(failures()).toMatchObject([{ failure_type: 'timeout' }])
  })

  it('that says too much is cut', async () => {
    const seen = await run(calls('flood'))
    expect(seen).toContain('characters left out')
    expect(seen.length).toBeLessThan(100_000)
  })

  it('with a schema that is none gets what the model wrote', async () => {
    expect(await run(calls('odd'))).toContain('tool-result')
    expect(inner()).toEqual(['preToolUse', 'beforeMCPExecution', 'afterMCPExecution', 'postToolUse'])
  })

  it('receives no event for a call that does not fit its schema', async () => {
    expect(await run(calls('double'))).toContain('Invalid input for tool worst_double')
    expect(inner()).toEqual(['postToolUseFailure'])
  })
})

it('servers whose tools have the same name keep their order', async () => {
  const node = { command: process.execPath, args: [worst] }
  servers({ 'a b': node, a_b: node, 'a.b': node })
  for (let time = 0; time < 2; time++) {
    mcp = await mcpTools({ workspace: place.workspace })
    expect(Object.keys(mcp.tools).filter(name => name.includes('double'))).toEqual([
      'a_b_double',
      'a_b_double_2',
      'a_b_double_3',
    ])
    const fields = mcp.toolEvents.a_b_double_3!.before!({ input: {} } as never).fields
    expect(fields).toMatchObject({ mcp_server_name: 'a.b' })
    await mcp.close()
  }
})

it('a server behind an address has its events with the address', async () => {
  const port = await freePort()
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  })
  try {
    await answering(port)
    const url = `http://127.0.0.1:${port}/mcp`
    process.env.HOLDFAST_TEST_TOKEN = 'abc'
    servers({ far: { url, headers: { authorization: 'Bearer ${env:HOLDFAST_TEST_TOKEN}' } } })
    place.audit()
    const call = { calls: [{ tool: 'far_echo', input: { message: 'hi' } }] }
    expect(await run([call, { text: 'Done.' }])).toContain('Echo: hi')
    const [, before, after] = place.audited().slice(2)
    expect(before).toMatchObject({ mcp_server_name: 'far', mcp_server_url: url, url })
    expect(after).toMatchObject({ hook_event_name: 'afterMCPExecution', mcp_server_url: url })
  } finally {
    delete process.env.HOLDFAST_TEST_TOKEN
    await mcp?.close()
    child.kill()
  }
})

const freePort = () =>
  new Promise<number>(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isThere = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise(wait => setTimeout(wait, 50))
  }
  throw new Error('The server did not start.')
}

describe('an mcp.json', () => {
  it('with servers that cannot be used says so, and keeps the others', async () => {
    servers({
      every: node,
      gone: { command: 'no-such-program' },
      wrong: { args: 1 },
      odd: 7,
      silent: { command: process.execPath, args: ['-e', ''] },
      near: { url: 'file:///etc/passwd' },
      listed: { command: 'x', args: { a: 1 } },
      typed: { command: 'x', env: { A: 1 } },
    })
    mcp = await mcpTools({ workspace: place.workspace })
    expect(Object.keys(mcp.tools)).toContain('every_echo')
    const said = mcp.problems.join('\n')
    expect(said).toContain('"gone" cannot be used')
    expect(said).toContain('the server "wrong" needs text in "url".')
    expect(said).toContain('the server "odd" must be an object')
    expect(said).toContain('"silent" cannot be used')
    expect(said).toContain('the server "near" needs an http or https "url".')
    expect(said).toContain('the server "listed" has "args" that are not a list.')
    expect(said).toContain('the server "typed" needs text in "env".')
    expect(mcp.problems).toHaveLength(7)
  })

  it.each([
    ['', 'not valid JSON'],
    ['[]', 'has no "mcpServers"'],
    ['{"mcpServers": []}', 'has no "mcpServers"'],
    ['{"mcpServers": {"a": }', 'not valid JSON'],
    ['\u0000', 'not valid JSON'],
    ['null', 'has no "mcpServers"'],
  ])('%j is refused with a reason', async (text, words) => {
    place.write('.cursor/mcp.json', text)
    await expect(mcpTools({ workspace: place.workspace })).rejects.toThrow(words)
  })

  it('that is not there is named', async () => {
    await expect(mcpTools({ workspace: place.workspace })).rejects.toThrow('.cursor/mcp.json cannot be read')
  })
})
