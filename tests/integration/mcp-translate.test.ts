// The gateway between clients and servers whose revisions of the protocol differ, with the real SDKs.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client as SecondClient } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { EVERYTHING, FILES, type Json, openPlace, type Place, RECORD } from '../fixtures/mcp/place.js'
import { watched } from '../processes.js'
import { itInAll } from '../scope.js'

const FIXTURE = fileURLToPath(new URL('../fixtures/mcp/modern.mjs', import.meta.url))
const STRICT = [process.execPath, FIXTURE, 'strict']

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function place(hooks: Record<string, object[]> = {}): Place {
  const opened = openPlace(hooks)
  closing.push(() => opened.close())
  return opened
}

const ONCE = ['preToolUse', 'beforeMCPExecution', 'afterMCPExecution', 'postToolUse']
const GATES = Object.fromEntries(ONCE.map(name => [name, [{ command: RECORD }]]))
const names = (here: Place) => here.events().map(event => event.hook_event_name)
const words = (result: object): string[] =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text)
const answers = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`

describe('a client of the first SDK and a server that knows revision 2026-07-28 only', () => {
  const asked = (answer: object) => {
    const questions: Json[] = []
    const take = async (question: Json) => {
      questions.push(question.params)
      return answer
    }
    return { questions, answer: take }
  }

  const connect = async (
    here: Place,
    answer?: (question: Json) => Promise<object>,
    server = here.gateway(STRICT),
  ) => {
    const client = await here.connect(server, { capabilities: answer ? { elicitation: {} } : {} })
    if (answer) client.setRequestHandler(ElicitRequestSchema, answer as never)
    return client
  }

  it('connect, and hooks see each call', async () => {
    const here = place(GATES)
    const client = await connect(here)
    expect(client.getServerVersion()).toMatchObject({ name: 'second' })
    expect(client.getInstructions()).toBe('Use it well.')
    expect((await client.listTools()).tools.length).toBeGreaterThan(1)
    expect(words(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toEqual(['Echo: hi'])
    expect(names(here)).toEqual(ONCE)
    expect(here.events()[1]).toMatchObject({ tool_name: 'echo', mcp_server_name: 'second' })
    await client.ping()
    expect((await client.readResource({ uri: 'file:///notes/secret.txt' })).contents[0]).toMatchObject({
      text: 'the secret',
    })
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/not found/)
  })

  it('a denied call does not reach the server, and a rewritten one does', async () => {
    const here = place({ preToolUse: [{ command: './judge.sh' }] })
    here.script(
      'judge.sh',
      `case $(cat) in *secret*) echo '{"permission":"deny","agent_message":"Not that."}';; *) echo '{"updated_input":{"message":"changed"}}';; esac`,
    )
    const client = await connect(here)
    const denied = await client.callTool({ name: 'echo', arguments: { message: 'secret' } })
    expect(words(denied)[0]).toContain('Not that.')
    expect(words(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toEqual([
      'Echo: changed',
    ])
  })

  it('a question of the server is put to the client, and the hooks run once', async () => {
    const here = place(GATES)
    const { questions, answer } = asked({ action: 'accept', content: { name: 'Ada' } })
    const client = await connect(here, answer)
    expect(words(await client.callTool({ name: 'greet', arguments: { message: 'hi' } }))).toEqual(['hi, Ada'])
    expect(questions).toMatchObject([{ message: 'Who are you?' }])
    expect(names(here)).toEqual(ONCE)
    expect(here.events()[2]!.result_json).toContain('hi, Ada')
  })

  it('a server that asks again and again is stopped', async () => {
    const here = place()
    let count = 0
    const client = await connect(here, async () => {
      count++
      return { action: 'decline' }
    })
    await expect(client.callTool({ name: 'greet', arguments: { message: 'hi' } })).rejects.toThrow(
      /too many questions/,
    )
    expect(count).toBe(32)
  })

  it('a client that fails to answer gets an error for its call', async () => {
    const here = place()
    const client = await connect(here, () => Promise.reject(new Error('No form.')))
    await expect(client.callTool({ name: 'greet', arguments: { message: 'hi' } })).rejects.toThrow(
      /did not answer/,
    )
    expect(words(await client.callTool({ name: 'echo', arguments: { message: 'still' } }))).toEqual([
      'Echo: still',
    ])
  })

  it('changes of the list of tools are reported', async () => {
    const here = place()
    const client = await connect(here)
    const changed = new Promise(resolve =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve(true)),
    )
    await client.request(
      { method: 'tools/call', params: { name: 'grow', arguments: {} } },
      CallToolResultSchema,
    )
    expect(await changed).toBe(true)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('grown')
  })

  it('the handshake, ping and batches are answered for it', async () => {
    const here = place()
    const wire = here.wire(STRICT)
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'w', version: '1' } }
    wire.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })
    expect(await wire.json()).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } })
    wire.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    wire.send('[{"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","id":"c","method":"tools/list"}]')
    const both = [await wire.json(), await wire.json()]
    expect(both.map(({ id }) => id).sort()).toEqual(['b', 'c'])
  })

  itInAll(
    'a server that rejects the handshake and ignores all else gets its error to the client',
    async () => {
      const here = place()
      const server = here.script(
        'server.sh',
        `read -r _; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"No handshake."}}'; cat >/dev/null`,
      )
      const wire = here.wire([server])
      wire.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
      expect(await wire.json()).toMatchObject({ id: 1, error: { message: 'No handshake.' } })
    },
  )

  it('over HTTP, too', async () => {
    const here = place(GATES)
    const web = watched(
      spawn(process.execPath, [FIXTURE, 'strict', 'http'], { stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    const lines = createInterface({ input: web.stdout! })
    closing.push(async () => {
      const ended = once(web, 'exit')
      web.kill()
      await ended
    })
    const [port] = await once(lines, 'line')
    const { answer } = asked({ action: 'accept', content: { name: 'Ada' } })
    const server = here.gateway([]).slice(0, -1)
    const client = await connect(here, answer, [...server, '--url', `http://127.0.0.1:${port}/mcp`])
    expect(words(await client.callTool({ name: 'greet', arguments: { message: 'hi' } }))).toEqual(['hi, Ada'])
    expect(names(here)).toEqual(ONCE)
  })
})

describe('a client that speaks revision 2026-07-28 only and a server of the first SDK', () => {
  const connect = async (
    here: Place,
    server: readonly string[],
    { translate = true, roots = false, answer = undefined as undefined | ((question: Json) => Json) } = {},
  ) => {
    const client = new SecondClient(
      { name: 'test', version: '1' },
      {
        versionNegotiation: { mode: { pin: '2026-07-28' } },
        capabilities: { ...(answer ? { elicitation: { form: {} } } : {}), ...(roots ? { roots: {} } : {}) },
      },
    )
    if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params) as never)
    if (roots) client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file://${here.folder}` }] }))
    const [command, ...args] = here.gateway(server, translate ? ['--translate'] : [])
    const transport = new StdioClientTransport({
      command: command!,
      args,
      cwd: here.folder,
      env: here.env,
      stderr: 'pipe',
    })
    transport.stderr?.on('data', () => {})
    closing.push(() => client.close())
    await client.connect(transport)
    return client
  }

  it('do not connect unless the gateway is asked to translate', async () => {
    const here = place()
    await expect(connect(here, EVERYTHING, { translate: false })).rejects.toThrow(/2026-07-28/)
  })

  it('connect, and hooks see each call', async () => {
    const here = place(GATES)
    const client = await connect(here, EVERYTHING)
    expect((await client.listTools()).tools.length).toBeGreaterThan(1)
    expect(words(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toEqual(['Echo: hi'])
    expect(names(here)).toEqual(ONCE)
    expect(here.events()[1]).toMatchObject({ tool_name: 'echo', mcp_server_name: 'mcp-servers/everything' })
    const { resources } = await client.listResources()
    expect((await client.readResource({ uri: resources[0]!.uri })).contents).toHaveLength(1)
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0)
  })

  it('a denied call does not reach the server', async () => {
    const here = place({ beforeMCPExecution: [{ command: './deny.sh' }] })
    here.script('deny.sh', answers({ permission: 'deny', agent_message: 'Not that.' }))
    const client = await connect(here, EVERYTHING)
    const denied = await client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    expect(denied.isError).toBe(true)
    expect(words(denied)[0]).toContain('Not that.')
  })

  it('a question of the server is an interim result of the call, and the hooks run once', async () => {
    const here = place(GATES)
    const questions: Json[] = []
    const client = await connect(here, EVERYTHING, {
      answer: question => {
        questions.push(question)
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    const result = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} })
    expect(words(result).join(' ')).toContain('Ada')
    expect(questions).toHaveLength(1)
    expect(names(here)).toEqual(ONCE)
  })

  it('a question of the server before any call waits for the first one', async () => {
    const here = place()
    const client = await connect(here, [...FILES, '/nowhere-at-all', here.folder], { roots: true })
    const result = await client.callTool({ name: 'list_allowed_directories', arguments: {} })
    expect(words(result).join(' ')).toContain(here.folder)
  })

  it('a server of the newest revision is not translated', async () => {
    const here = place(GATES)
    const client = await connect(here, [process.execPath, FIXTURE], {
      answer: () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    expect(words(await client.callTool({ name: 'greet', arguments: { message: 'hi' } }))).toEqual(['hi, Ada'])
    expect(names(here)).toEqual(ONCE)
  })
})
