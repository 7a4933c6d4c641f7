// Tools of real MCP servers, started from an mcp.json, inside an agent with hooks.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startAgent } from '../agent/agent.js'
import { type ScriptedLine, scriptedModel } from '../agent/scripted-model.js'
import { openPlace, type Place } from '../agent/testing/place.js'
import { type McpTools, mcpTools } from './mcp-tools.js'

const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

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

async function run(script: readonly ScriptedLine[]) {
  const { workspace } = place
  mcp = await mcpTools({ workspace })
  expect(mcp.problems).toEqual([])
  const model = scriptedModel(script)
  const agent = await startAgent({ hooks: await place.open(), model, workspace, ...mcp })
  await agent.send('Go')
  await agent.end()
  return JSON.stringify(model.prompts[1])
}

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

  it('that says it failed has failed', async () => {
    place.audit()
    const sum = { calls: [{ tool: 'every_get-sum', input: { a: 'x' } }] }
    expect(await run([sum, { text: 'Done.' }])).toContain('error')
    expect(inner()).toEqual(['preToolUse', 'beforeMCPExecution', 'afterMCPExecution', 'postToolUseFailure'])
  })
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
    servers({ every: node, gone: { command: 'no-such-program' }, wrong: { args: 1 }, odd: 7 })
    mcp = await mcpTools({ workspace: place.workspace })
    expect(Object.keys(mcp.tools)).toContain('every_echo')
    const said = mcp.problems.join('\n')
    expect(said).toContain('"gone" cannot be used')
    expect(said).toContain('the server "wrong" needs text in "url".')
    expect(said).toContain('the server "odd" must be an object')
  })

  it.each([
    ['', 'not valid JSON'],
    ['[]', 'has no "mcpServers"'],
    ['{"mcpServers": []}', 'has no "mcpServers"'],
  ])('%j is refused with a reason', async (text, words) => {
    place.write('.cursor/mcp.json', text)
    await expect(mcpTools({ workspace: place.workspace })).rejects.toThrow(words)
  })

  it('that is not there is named', async () => {
    await expect(mcpTools({ workspace: place.workspace })).rejects.toThrow('.cursor/mcp.json cannot be read')
  })
})
