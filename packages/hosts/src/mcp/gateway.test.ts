// The gateway in this process, between a client and a server that only record, with real hooks.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { HostOptions } from '@holdfast/hooks'
import { afterEach, describe, expect, it } from 'vitest'
import { isAlive } from '../../../../tests/fixtures/workspace.js'
import { type GatewayOptions, runGateway } from './gateway.js'
import type { Ended } from './server.js'

// biome-ignore lint/suspicious/noExplicitAny: whatever came over the wire; the tests say what it should be
type Json = Record<string, any>

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const answers = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`
const DENY = answers({ permission: 'deny', agent_message: 'No.' })

/** In the commands of hooks, FOLDER stands for the folder of the connection. */
interface Connection {
  send(...lines: (object | string)[]): void
  /** The lines that reached the server, and those that reached the client. */
  readonly sent: string[]
  readonly given: string[]
  readonly notes: string[]
  readonly patience: number[]
  /** From the server. */
  say(...lines: (object | string)[]): void
  /** The server ends by itself. */
  crash(): void
  /** The home of the hooks. */
  readonly folder: string
  /** Ends the client, and resolves to the exit code. */
  close(): Promise<number>
}

function connect(
  hooks: Record<string, object[]> = {},
  change: Partial<GatewayOptions> & { host?: HostOptions } = {},
): Connection {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-gateway-'))
  mkdirSync(join(folder, '.cursor'))
  writeFileSync(
    join(folder, '.cursor', 'hooks.json'),
    JSON.stringify({ version: 1, hooks }).replaceAll('FOLDER', folder),
  )
  const host: HostOptions = {
    workspaceRoots: [],
    home: folder,
    enterpriseDir: join(folder, 'none'),
    watch: false,
    log: { file: null },
    ...change.host,
  }
  const [input, output, lines] = [new PassThrough(), new PassThrough(), new PassThrough({ objectMode: true })]
  const [sent, given, notes]: [string[], string[], string[]] = [[], [], []]
  const patience: number[] = []
  output.setEncoding('utf8').on('data', (text: string) => given.push(...text.split('\n').slice(0, -1)))
  let end: (ended: Ended) => void = () => {}
  const ended = new Promise<Ended>(resolve => (end = resolve))
  const stop = (isCrash: boolean) => {
    lines.end()
    end({ code: isCrash ? 7 : 0, words: 'The server ended.', isCrash })
  }
  const textOf = (line: object | string) => (typeof line === 'string' ? line : JSON.stringify(line))
  const over = runGateway({
    input,
    output,
    server: {
      lines,
      send: line => void sent.push(line.toString().trimEnd()),
      greeted: () => {},
      finish(ms) {
        patience.push(ms)
        stop(false)
      },
      ended,
    },
    fields: { command: 'server' },
    note: text => notes.push(text),
    ...change,
    host,
  })
  const connection: Connection = {
    folder,
    sent,
    given,
    notes,
    patience,
    send: (...all) => void input.write(all.map(line => `${textOf(line)}\n`).join('')),
    say: (...all) => {
      for (const line of all) lines.write(Buffer.from(`${textOf(line)}\n`))
    },
    crash: () => stop(true),
    close() {
      input.end()
      return over
    },
  }
  closing.push(async () => {
    await connection.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return connection
}

const call = (id: unknown, name: string, more: object = {}) => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  method: 'tools/call',
  params: { name, arguments: {}, ...more },
})
const greeting = (capabilities: object = {}) => ({ id: 0, method: 'initialize', params: { capabilities } })
/** Passes behind everything that was sent before and waits for no hook. */
const PING = { id: 'ping', method: 'ping' }
const jsonOf = (lines: readonly string[]): Json[] => lines.map(line => JSON.parse(line))

describe('a session that hooks blocked', () => {
  const BLOCK = { sessionStart: [{ command: answers({ continue: false, user_message: 'Not today.' }) }] }

  it('makes no call either when they say nothing about it', async () => {
    const { send, sent, given } = connect({ sessionStart: [{ command: answers({ continue: false }) }] })
    send(greeting(), call(1, 'write'), PING)
    await expect.poll(() => sent.length).toBe(1)
    expect(jsonOf(sent)).toEqual([PING])
    expect(jsonOf(given)).toMatchObject([
      { id: 0, error: { code: -32000 } },
      { id: 1, result: { isError: true } },
    ])
  })

  it('makes no call, whether or not the client greeted', async () => {
    for (const first of [[], [greeting()]]) {
      const { send, sent, given } = connect(BLOCK)
      send(...first, call(1, 'write'), [call(2, 'write')], call(undefined, 'write'), PING)
      await expect.poll(() => given.length).toBe(first.length + 2)
      const [denied, batch] = jsonOf(given.slice(first.length))
      const isDenied = { isError: true, content: [{ text: expect.stringContaining('Not today.') }] }
      expect(denied).toMatchObject({ id: 1, result: isDenied })
      expect(batch).toMatchObject([{ id: 2, result: isDenied }])
      if (first.length > 0) expect(jsonOf(given)[0]).toMatchObject({ id: 0, error: { code: -32000 } })
      expect(jsonOf(sent)).toEqual([PING])
    }
  })
})

describe('a line that is not JSON', () => {
  it('is not passed on if a lenient server could read a tool call', async () => {
    const { send, sent, given, notes } = connect()
    const lines = ['/', '\\/', '\\u002f', '\\u002F'].map(
      slash => `{"id":1,"method":"tools${slash}call","params":{"name":"write"},}`,
    )
    send(...lines, '{"method":"tools/list",}', PING)
    await expect.poll(() => sent.length).toBe(2)
    expect(sent).toEqual(['{"method":"tools/list",}', JSON.stringify(PING)])
    expect(jsonOf(given).map(({ error }) => error.code)).toEqual(Array(4).fill(-32700))
    expect(notes).toHaveLength(4)
  })
})

it('informs the user of hooks that cannot run', async () => {
  const { send, sent, notes } = connect({ preToolUs: [{ command: 'true' }] })
  send(greeting())
  await expect.poll(() => sent.length).toBe(1)
  expect(notes).toEqual([expect.stringContaining('preToolUs')])
})

describe('an engine that cannot be opened', () => {
  // Options that the engine cannot be opened with.
  const broken = { workspaceRoots: 5 } as unknown as HostOptions

  it('refuses every call and greeting', async () => {
    const { send, sent, given, notes } = connect({}, { host: broken })
    send(greeting(), call(1, 'write'), call(undefined, 'write'), PING)
    await expect.poll(() => notes.length).toBe(3)
    expect(jsonOf(given)).toMatchObject([
      { id: 0, error: { code: -32603 } },
      { id: 1, error: { code: -32603 } },
    ])
    await expect.poll(() => sent.length).toBe(1)
    expect(jsonOf(sent)).toEqual([PING])
  })
})

describe('a call', () => {
  it.each(['preToolUse', 'beforeMCPExecution'])('that %s denies is not sent on', async event => {
    const { send, sent, given } = connect({ [event]: [{ command: DENY, matcher: 'write' }] })
    send(call(1, 'write'), [call(2, 'write'), call(3, 'read')])
    await expect.poll(() => sent.length + given.length).toBeGreaterThanOrEqual(2)
    await expect.poll(() => sent.length).toBe(1)
    expect(jsonOf(given)).toMatchObject([{ id: 1, result: { isError: true } }])
    expect(jsonOf(sent)).toMatchObject([[{ id: 3 }]])
  })

  it('whose id is in use is refused while the first waits for its answer', async () => {
    const { send, sent, given, say } = connect()
    send(call(1, 'first'), call(1, 'second'), [call(1, 'third')])
    await expect.poll(() => given.length).toBe(2)
    expect(jsonOf(given).flat()).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }])
    expect(jsonOf(sent).map(({ params }) => params.name)).toEqual(['first'])
    say({ id: 1, result: {} })
    await expect.poll(() => given.length).toBe(3)
    send(call(1, 'fourth'))
    await expect.poll(() => sent.length).toBe(2)
  })

  const CANCEL = { method: 'notifications/cancelled', params: { requestId: 1 } }

  it.each([
    ['hooks decide', { preToolUse: [{ command: 'cat >/dev/null; exec sleep 60' }] }],
    ['the engine is opened', {}],
  ])('that was cancelled while %s is neither sent on nor answered', async (_, hooks) => {
    const { send, sent, given, close } = connect(hooks)
    const other = { ...CANCEL, params: { requestId: 2 } }
    send(call(1, 'write'), CANCEL, other, PING)
    await expect.poll(() => sent.length).toBe(2)
    await close()
    expect(jsonOf(sent)).toEqual([other, PING])
    expect(given).toEqual([])
  })

  it.each(['preToolUse', 'beforeMCPExecution'])('that was cancelled ends its %s hook', async event => {
    const { send, folder } = connect({
      [event]: [
        {
          command:
            'cat >/dev/null; echo $$ > "FOLDER/pid.new"; mv "FOLDER/pid.new" "FOLDER/pid"; exec sleep 60',
        },
      ],
    })
    const file = join(folder, 'pid')
    send(call(1, 'write'))
    await expect.poll(() => existsSync(file)).toBe(true)
    send(CANCEL)
    await expect.poll(() => isAlive(Number(readFileSync(file, 'utf8')))).toBe(false)
  })

  it('that was cancelled at the server gets no late answer', async () => {
    const { send, sent, say, given } = connect({ postToolUse: [{ command: answers({}) }] })
    send(call(1, 'write'))
    await expect.poll(() => sent.length).toBe(1)
    send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await expect.poll(() => sent.length).toBe(2)
    say({ id: 1, result: { content: [] } }, { method: 'notifications/message' })
    await expect.poll(() => given.length).toBe(1)
    expect(jsonOf(given)).toEqual([{ method: 'notifications/message' }])
  })

  it('under way when the server crashes is answered with an error, and later ones, too', async () => {
    const { send, sent, given, crash } = connect()
    send(call(1, 'write'))
    await expect.poll(() => sent.length).toBe(1)
    crash()
    await expect.poll(() => given.length).toBe(1)
    expect(jsonOf(given)).toMatchObject([{ id: 1, error: { code: -32000, message: 'The server ended.' } }])
  })
})

describe('a changed input', () => {
  it('is what the server and the next event get', async () => {
    const { send, sent, folder } = connect({
      preToolUse: [{ command: answers({ permission: 'allow', updated_input: { path: 'safe' } }) }],
      beforeMCPExecution: [{ command: 'cat > "FOLDER/seen"; echo "{}"' }],
    })
    send(call(1, 'write', { arguments: { path: 'secret', count: 1 } }))
    await expect.poll(() => sent.length).toBe(1)
    expect(jsonOf(sent)[0]!.params.arguments).toMatchObject({ path: 'safe' })
    expect(sent[0]).not.toContain('secret')
    const seen = readFileSync(join(folder, 'seen'), 'utf8')
    expect(seen).toContain('safe')
    expect(seen).not.toContain('secret')
  })
})

describe('a result', () => {
  const REDACT = answers({ updated_mcp_tool_output: { content: [{ type: 'text', text: '[redacted]' }] } })
  const secret = (id: number) => ({ id, result: { content: [{ type: 'text', text: 'secret' }] } })

  it('passes the hooks alone and in a batch, whatever the form of its id', async () => {
    const { send, sent, given, say } = connect({ postToolUse: [{ command: REDACT }] })
    send(call(1, 'read'), call(2, 'read'), call(3, 'read'))
    await expect.poll(() => sent.length).toBe(3)
    say(secret(1), [secret(2)], '{"id":3.0,"result":{"content":[{"type":"text","text":"secret"}]}}')
    await expect.poll(() => given.length).toBe(3)
    expect(given.join('\n')).not.toContain('secret')
    expect(given.join('\n').match(/\[redacted\]/g)).toHaveLength(3)
  })

  it('that can be read in two ways, or is too long, is not passed on', async () => {
    const { send, sent, given, say, notes } = connect({ postToolUse: [{ command: REDACT }] })
    send(call(1, 'read'))
    await expect.poll(() => sent.length).toBe(1)
    say('{"id":9,"result":"secret","id":1}', '{"id":1,"result":1,"result":"secret"}', { method: 'after' })
    await expect.poll(() => given.length).toBe(1)
    expect(jsonOf(given)).toEqual([{ method: 'after' }])
    expect(notes).toHaveLength(2)
  })
})

describe('the end of the client', () => {
  it.each([
    [0, 1500],
    [1, 5000],
  ])('with %i calls at the server gives it %i ms', async (calls, ms) => {
    const { send, sent, close, patience } = connect()
    send(PING, ...Array.from({ length: calls }, (_, id) => call(id, 'read')))
    await expect.poll(() => sent.length).toBe(1 + calls)
    expect(await close()).toBe(0)
    expect(patience).toEqual([ms])
  })

  it('by a signal gives it no time, and ends what hooks decide', async () => {
    const stopping = new AbortController()
    const { send, sent, close, patience } = connect(
      { preToolUse: [{ command: 'cat >/dev/null; sleep 30' }] },
      { signal: stopping.signal },
    )
    send(call(1, 'write'), PING)
    await expect.poll(() => sent.length).toBe(1)
    stopping.abort()
    await close()
    expect(patience[0]).toBe(0)
    expect(jsonOf(sent)).toEqual([PING])
  })
})

describe('a question of a hook', () => {
  const ASK = { preToolUse: [{ command: answers({ permission: 'ask', user_message: 'Really?' }) }] }
  it.each([
    [{ elicitation: {} }, true],
    [{ elicitation: { form: {} } }, true],
    [{ elicitation: { form: {}, url: {} } }, true],
    [{ elicitation: { url: {} } }, false],
    [{ elicitation: true }, false],
    [{ elicitation: null }, false],
    [{}, false],
  ])('is put to a client with %j: %s', async (capabilities, isAsked) => {
    const { send, given, sent } = connect(ASK)
    send(greeting(capabilities), call(1, 'write'))
    await expect.poll(() => given.length).toBe(1)
    const [first] = jsonOf(given)
    if (isAsked) expect(first).toMatchObject({ method: 'elicitation/create' })
    else expect(first).toMatchObject({ id: 1, result: { isError: true } })
    expect(jsonOf(sent)).toMatchObject([{ method: 'initialize' }])
  })

  it('gets an answer that the server never sees', async () => {
    const { send, given, sent } = connect(ASK)
    send(greeting({ elicitation: {} }), call(1, 'write'))
    await expect.poll(() => given.length).toBe(1)
    const { id } = jsonOf(given)[0]!
    // No server can guess it and put a question of its own under the same id.
    expect(id).toMatch(/^holdfast-[0-9a-f-]{36}$/)
    const yes = { action: 'accept', content: { allow: true } }
    send({ id: 'other', result: yes }, { id, result: yes })
    await expect.poll(() => sent.length).toBe(3)
    expect(jsonOf(sent)).toMatchObject([{ method: 'initialize' }, { id: 'other' }, { method: 'tools/call' }])
  })
})
