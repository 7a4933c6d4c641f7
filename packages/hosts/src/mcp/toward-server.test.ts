// The handling of each message of the client. The session only records calls.

import { HookBlockedError } from '@holdfast/hooks'
import { describe, expect, it } from 'vitest'
import { HeldQuestions } from './held.js'
import { type Message, readLine } from './message.js'
import { type Toward, toward } from './toward-server.js'
import { WaitingRoom } from './waiting.js'

const messageOf = (value: unknown): Message => {
  const line = readLine(typeof value === 'string' ? value : JSON.stringify(value))
  if (line.kind !== 'one') throw new Error(`${JSON.stringify(value)} is ${line.kind}`)
  return line.message
}

interface Recorded {
  readonly event: string
  readonly fields: Record<string, unknown>
  readonly signal?: AbortSignal | undefined
}

interface Given {
  /** The events that have hooks. */
  readonly has?: readonly string[]
  /** How many required sources are absent. */
  readonly missing?: number
  readonly updatedInput?: object
  /** Thrown by the event of this name. */
  readonly denies?: string
  readonly fails?: string
}

function gateway({ has = ['preToolUse'], missing = 0, updatedInput, denies, fails }: Given = {}) {
  const [asked, told, notes]: [Recorded[], Recorded[], string[]] = [[], [], []]
  const answers: Record<string, unknown>[] = []
  const waiting = new WaitingRoom()
  const work: Promise<unknown>[] = []
  const opened = {
    hooks: {
      has: (name: string) => has.includes(name),
      catalog: () => ({ missing: Array(missing).fill({}) }),
    },
    session: {
      async guard(event: string, fields: Recorded['fields'], { signal }: { signal?: AbortSignal } = {}) {
        asked.push({ event, fields, signal })
        if (event === denies) throw new HookBlockedError({} as never, 'No.', 'No.')
        if (event === fails) throw new Error('The engine is closed.')
        return { verdict: { updatedInput: event === 'preToolUse' ? (updatedInput ?? null) : null } }
      },
      takeContext: () => null,
      async fire(event: string, fields: Recorded['fields']) {
        told.push({ event, fields })
        return { additionalContext: null }
      },
    },
    context: null,
    blocked: null,
  }
  const gate: Toward = {
    waiting,
    held: new HeldQuestions(),
    pins: undefined,
    ask: null,
    askElsewhere: null,
    learnName: async () => {},
    open: async () => opened as never,
    serverInfo: () => ({ mcp_server_name: 'files', command: 'server' }),
    takesAnswer: () => false,
    homeward: one => void work.push(one),
    note: text => notes.push(text),
  }
  return {
    ...{ asked, told, notes, answers, waiting },
    /** What the server gets, once all that was begun is over. */
    async send(message: unknown): Promise<string | undefined> {
      const sent = await toward(gate, messageOf(message), text => answers.push(JSON.parse(text)))
      await Promise.all(work)
      return sent
    },
  }
}

const call = (id: unknown, more: object = {}) => ({
  ...(id === undefined ? {} : { id }),
  method: 'tools/call',
  params: { name: 'write', arguments: { path: 'a', count: 1 }, ...more },
})

describe('before a call', () => {
  it.each([{ has: ['preToolUse'] }, { has: ['beforeMCPExecution'] }, { has: [], missing: 1 }])(
    'asks both events with %j',
    async given => {
      const { send, asked } = gateway(given)
      expect(await send(call(7))).toBe(JSON.stringify(call(7)))
      expect(asked.map(({ event }) => event)).toEqual(['preToolUse', 'beforeMCPExecution'])
    },
  )

  it('asks nothing when there are only hooks for other events', async () => {
    const { send, asked } = gateway({ has: ['postToolUse', 'sessionStart', 'beforeShellExecution'] })
    expect(await send(call(7))).toBe(JSON.stringify(call(7)))
    expect(asked).toEqual([])
  })

  it('tells the events which tool of which server is called with what', async () => {
    const { send, asked } = gateway()
    await send(call(7))
    expect(asked.map(({ fields }) => fields)).toEqual([
      { tool_name: 'MCP:write', tool_input: { path: 'a', count: 1 }, tool_use_id: '7' },
      {
        tool_name: 'write',
        tool_input: '{"path":"a","count":1}',
        tool_use_id: '7',
        mcp_server_name: 'files',
        command: 'server',
      },
    ])
  })

  it.each([
    '{"path":"/etc/shadow","path":"a"}',
    '{"path":"/etc/shadow","\\u0070ath":"a"}',
    '{"all":[{"n":1},{"path":"/etc/shadow" , "path" : "a"}]}',
  ])('refuses arguments that two programs could read differently: %s', async text => {
    const { send, asked, answers } = gateway()
    const sent = await send(`{"id":7,"method":"tools/call","params":{"name":"write","arguments":${text}}}`)
    expect([sent, asked]).toEqual([undefined, []])
    expect(answers).toMatchObject([{ id: 7, error: { code: -32602 } }])
  })

  it.each([
    '{"a":{"path":1},"b":{"path":1}}',
    '{"a":["path","path"],"path":"\\"path\\":1"}',
    '{"a":"}{","b":{}}',
  ])('passes on arguments with one value for each key: %s', async text => {
    const { send } = gateway()
    const line = `{"id":7,"method":"tools/call","params":{"name":"write","arguments":${text}}}`
    expect(await send(line)).toBe(line)
  })

  it.each(['preToolUse', 'beforeMCPExecution'])(
    'sends nothing when %s denies it, and frees its id',
    async denies => {
      const { send, answers, waiting } = gateway({ denies })
      expect(await send(call(7))).toBeUndefined()
      expect(answers).toMatchObject([{ id: 7, result: { isError: true, content: [{ text: 'No.' }] } }])
      expect(waiting.isEmpty).toBe(true)
      expect(await send(call(undefined))).toBeUndefined()
      expect(answers).toHaveLength(1)
    },
  )

  it.each(['preToolUse', 'beforeMCPExecution'])(
    'sends nothing when %s fails, and frees its id',
    async fails => {
      const { send, answers, notes, waiting } = gateway({ fails })
      expect(await send(call(7))).toBeUndefined()
      expect(await send(call(undefined))).toBeUndefined()
      const message = 'The hooks could not run: The engine is closed.'
      expect(answers).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -32603, message } }])
      expect(notes).toEqual([message, message])
      expect(waiting.isEmpty).toBe(true)
    },
  )

  it('awaits an answer only where the client does', async () => {
    const { send, waiting, answers } = gateway()
    for (const id of [null, null, undefined]) expect(await send(call(id))).toBe(JSON.stringify(call(id)))
    expect(waiting.isEmpty).toBe(true)
    expect(answers).toEqual([])
    await send(call(7))
    expect(waiting.peek('7')).toMatchObject({ kind: 'call', call: { id: '7', isTask: false } })
  })
})

describe('a changed input', () => {
  it('is what the second event, the server and later events get', async () => {
    const { send, asked, told } = gateway({ updatedInput: { path: 'b' } })
    const changed = { path: 'b', count: 1 }
    expect(JSON.parse((await send(call(7)))!)).toEqual(call(7, { arguments: changed }))
    expect(asked[1]!.fields.tool_input).toBe(JSON.stringify(changed))
    await send({ method: 'notifications/cancelled', params: { requestId: 7 } })
    expect(told).toMatchObject([{ event: 'postToolUseFailure', fields: { tool_input: changed } }])
  })
})

describe('a cancelled call', () => {
  const cancel = (reason?: unknown) => ({
    method: 'notifications/cancelled',
    params: { requestId: 7, ...(reason === undefined ? {} : { reason }) },
  })

  it.each([
    ['enough', 'enough', 'error'],
    ['Request timed out', 'Request timed out', 'timeout'],
    ['timeout', 'timeout', 'timeout'],
    ['Time-out', 'Time-out', 'timeout'],
    [undefined, 'The call was cancelled.', 'error'],
    ['', 'The call was cancelled.', 'error'],
    [5, 'The call was cancelled.', 'error'],
  ])('with the reason %j is reported as %s, of type %s', async (reason, error_message, failure_type) => {
    const { send, told, waiting } = gateway()
    await send(call(7))
    expect(await send(cancel(reason))).toBe(JSON.stringify(cancel(reason)))
    const tool = { tool_name: 'MCP:write', tool_input: { path: 'a', count: 1 }, tool_use_id: '7' }
    expect(told).toEqual([
      {
        event: 'postToolUseFailure',
        fields: { ...tool, error_message, failure_type, duration: expect.any(Number), is_interrupt: true },
      },
    ])
    expect(waiting.peek('7')).toEqual({ kind: 'cancelled' })
  })

  it('is named by the last of two ids, as readers of JSON take it', async () => {
    const { send, waiting } = gateway()
    await send(call(7))
    await send(call(8))
    await send('{"method":"notifications/cancelled","params":{"requestId":7,"requestId":8}}')
    expect([waiting.peek('7')?.kind, waiting.peek('8')?.kind]).toEqual(['call', 'cancelled'])
  })

  it.each([{ requestId: 9 }, { requestId: '7' }, {}])(
    'is another one when the client names %j',
    async params => {
      const { send, told, waiting } = gateway()
      await send(call(7))
      const message = { method: 'notifications/cancelled', params }
      expect(await send(message)).toBe(JSON.stringify(message))
      expect([told, waiting.peek('7')?.kind]).toEqual([[], 'call'])
    },
  )
})

it('awaits an answer to a greeting that asks for one', async () => {
  const { send, waiting } = gateway()
  await send({ method: 'initialize', params: {} })
  expect(waiting.isEmpty).toBe(true)
  await send({ id: 1, method: 'initialize', params: {} })
  expect(waiting.peek('1')).toEqual({ kind: 'greeting' })
})

describe('a task', () => {
  it.each([
    [{}, true],
    [{ ttl: 1 }, true],
    [true, false],
    [[], false],
    ['T', false],
    [null, false],
  ])('is what the client asks for with %j: %s', async (task, isTask) => {
    const { send, waiting } = gateway()
    await send(call(7, { task }))
    expect(waiting.peek('7')).toMatchObject({ call: { isTask } })
  })

  it('has the call that began it behind each request for its result', async () => {
    const { send, waiting } = gateway()
    await send(call(7, { task: {} }))
    const begun = waiting.take('7')
    if (begun?.kind !== 'call') return expect.fail('no call waits')
    waiting.keepTask('T', begun.call)
    const fetch = (id: unknown, taskId: unknown) => ({ id, method: 'tasks/result', params: { taskId } })
    for (const message of [fetch(1, 'other'), fetch(2, ['T']), fetch(null, 'T'), fetch(3, 'T')])
      expect(await send(message)).toBe(JSON.stringify(message))
    const tools = ['1', '2', 'null', '3'].map(key => {
      const found = waiting.peek(key)
      return found?.kind === 'task' ? found.call.given.name : found
    })
    // A task of an earlier connection has a result that hooks see, too.
    expect(tools).toEqual(['tasks/result', 'tasks/result', undefined, begun.call.given.name])
  })
})
