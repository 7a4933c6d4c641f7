import { describe, expect, it } from 'vitest'
import type { Tool } from './call.js'
import { type Message, readLine } from './message.js'
import { type Back, towardClient } from './toward-client.js'
import { type Call, type Waiting, WaitingRoom } from './waiting.js'

const messageOf = (text: string): Message => {
  const line = readLine(text)
  if (line.kind !== 'one') throw new Error(`${text} is ${line.kind}`)
  return line.message
}

const notes: string[] = []
/** What the client gets of this line, while `waiting` waits for the id 1 and hooks fail. */
function given(text: string, waiting: Waiting): Promise<string | undefined> | string | undefined {
  notes.length = 0
  const room = new WaitingRoom()
  room.set('1', waiting)
  const opened = {
    hooks: { has: () => true, catalog: () => ({ missing: [] }) },
    session: { fire: () => Promise.reject(new Error('The engine is closed.')) },
    context: null,
    blocked: null,
  }
  const back: Back = {
    waiting: room,
    signal: undefined,
    open: async () => opened as never,
    pins: undefined,
    serverInfo: () => ({}),
    named: () => {},
    greeted: () => {},
    takeContext: () => null,
    note: note => notes.push(note),
  }
  return towardClient(back, messageOf(text))
}

const callOf = (tool: Tool, isTask = false): Call => ({
  ...{ id: '1', isTask, isModern: false, abort: new AbortController(), given: tool, tool, sentAt: 0 },
  ...{ judged: undefined, ask: undefined, seen: undefined },
})
const tool = { name: 'read', argumentsText: '{}', arguments: {}, useId: '1' }
const waiting: Waiting = {
  kind: 'call',
  call: callOf(tool),
}

describe('a result that hooks could not see', () => {
  it.each([
    '{"id":1,"result":{"content":[{"type":"text","text":"secret"}]}}',
    '{"id":1,"result":{"isError":true,"content":[{"type":"text","text":"secret"}]}}',
    '{"id":1,"result":"secret"}',
    '{"id":1,"error":{"code":1,"message":"secret"}}',
    '{"id":1}',
  ])('is withheld: %s', async text => {
    for (const end of ['', '\n']) {
      const answer = await given(text + end, waiting)
      expect(JSON.parse(answer ?? '')).toMatchObject({
        id: 1,
        error: { code: -32603, message: expect.stringContaining('The engine is closed.') },
      })
      expect(answer).not.toContain('secret')
      expect(answer?.endsWith('\n')).toBe(end === '\n')
      expect(notes).toHaveLength(1)
    }
  })
})

it.each([
  ['a late answer to a cancelled call', '{"id":1,"result":{}}', undefined],
  ['an answer to another request', '{"id":2,"result":{}}', '{"id":2,"result":{}}'],
  ['a request of the server with the same id', '{"id":1,"method":"ping"}', '{"id":1,"method":"ping"}'],
])('%s', async (_, text, expected) => {
  expect(await given(text, { kind: 'cancelled' })).toBe(expected)
})

/** A gateway whose hooks record their events, and respond to each with `answers`. */
function recording(has: readonly string[], answers: Record<string, object> = {}) {
  const told: [event: string, fields: object, options: object][] = []
  const room = new WaitingRoom()
  const { signal } = new AbortController()
  const opened = {
    hooks: { has: (name: string) => has.includes(name), catalog: () => ({ missing: [] }) },
    session: {
      takeContext: () => null,
      async fire(event: string, fields: object, options: object) {
        told.push([event, fields, options])
        return { updatedMcpToolOutput: null, additionalContext: null, ...answers[event] }
      },
    },
    context: null,
    blocked: null,
  }
  const back: Back = {
    waiting: room,
    signal,
    open: async () => opened as never,
    serverInfo: () => ({ mcp_server_name: 'files', mcp_server_url: 'http://a/', command: 'server' }),
    pins: undefined,
    named: () => {},
    greeted: () => {},
    takeContext: () => null,
    note: () => {},
  }
  const begun = (isTask: boolean): Call =>
    callOf({ name: 'read', argumentsText: '{"path":"a"}', arguments: { path: 'a' }, useId: '1' }, isTask)
  return { told, room, signal, begun, give: (text: string) => towardClient(back, messageOf(text)) }
}

const SECRET = '{"id":1,"result":{"content":[{"type":"text","text":"secret"}]}}'
const AFTER = ['afterMCPExecution', 'postToolUse', 'postToolUseFailure']

describe('the hooks after a call', () => {
  it.each(AFTER)('receive results and failures when only %s has hooks', async event => {
    const { told, room, begun, give } = recording([event])
    for (const [text, expected] of [
      [SECRET, ['afterMCPExecution', 'postToolUse']],
      ['{"id":1,"result":{"isError":true}}', ['afterMCPExecution', 'postToolUseFailure']],
      ['{"id":1,"error":{"code":1,"message":"oh"}}', ['postToolUseFailure']],
    ] as const) {
      told.length = 0
      room.set('1', { kind: 'call', call: begun(false) })
      expect(await give(text)).toBe(text)
      expect(told.map(([name]) => name)).toEqual(expected)
    }
  })

  it('are not called when there are none for these events', async () => {
    const { told, room, begun, give } = recording(['preToolUse', 'beforeMCPExecution'])
    room.set('1', { kind: 'call', call: begun(false) })
    expect(await give(SECRET)).toBe(SECRET)
    expect(told).toEqual([])
  })

  it('get the call and its result, and end with the gateway', async () => {
    const { told, room, signal, begun, give } = recording(AFTER)
    room.set('1', { kind: 'call', call: begun(false) })
    await give(SECRET)
    const result = '{"content":[{"type":"text","text":"secret"}]}'
    const duration = expect.any(Number)
    expect(told).toEqual([
      [
        'afterMCPExecution',
        {
          tool_name: 'read',
          tool_input: '{"path":"a"}',
          mcp_server_name: 'files',
          mcp_server_url: 'http://a/',
          result_json: result,
          duration,
        },
        { signal },
      ],
      [
        'postToolUse',
        {
          tool_name: 'MCP:read',
          tool_input: { path: 'a' },
          tool_use_id: '1',
          tool_output: result,
          duration,
        },
        { signal },
      ],
    ])
  })

  it.each([
    ['{"id":1,"result":{"isError":true,"content":[{"text":"one"},{},{"text":"two"}]}}', 'one\ntwo'],
    ['{"id":1,"result":{"isError":true,"content":[]}}', '{"isError":true,"content":[]}'],
    ['{"id":1,"error":{"code":1,"message":"oh"}}', 'oh'],
    ['{"id":1,"error":"oh"}', 'The server returned no result.'],
    ['{"id":1}', 'The server returned no result.'],
  ])('receive the reason why %s failed: %s', async (text, error_message) => {
    const { told, room, signal, begun, give } = recording(AFTER)
    room.set('1', { kind: 'call', call: begun(false) })
    await give(text)
    expect(told.at(-1)).toEqual([
      'postToolUseFailure',
      {
        tool_name: 'MCP:read',
        tool_input: { path: 'a' },
        tool_use_id: '1',
        error_message,
        failure_type: 'error',
        duration: expect.any(Number),
        is_interrupt: false,
      },
      { signal },
    ])
  })
})

describe('an output that hooks give', () => {
  const text = (value: object) => [{ type: 'text', text: JSON.stringify(value) }]
  const whole = { content: ['clean'], isError: true }

  it.each([
    [whole, {}, whole],
    [{ content: 'clean' }, {}, { content: text({ content: 'clean' }) }],
    [{ safe: 1 }, {}, { content: text({ safe: 1 }) }],
    [
      { safe: 1 },
      { structuredContent: { secret: 1 }, _meta: { secret: 1 } },
      { content: text({ safe: 1 }), structuredContent: { safe: 1 } },
    ],
  ])('%j instead of a result with %j is the whole result', async (output, more, expected) => {
    const { room, begun, give } = recording(AFTER, { postToolUse: { updatedMcpToolOutput: output } })
    room.set('1', { kind: 'call', call: begun(false) })
    const given = await give(JSON.stringify({ id: 1, result: { content: ['secret'], ...more } }))
    expect(JSON.parse(given ?? '')).toEqual({ id: 1, result: expected })
  })
})

describe('the result of a task', () => {
  const RECEIPT = '{"id":1,"result":{"task":{"taskId":"T"}}}'
  const REDACTED = { postToolUse: { updatedMcpToolOutput: { content: ['redacted'] } } }

  it.each([
    [AFTER, true, 'T'],
    [[], true, 'T'],
    [AFTER, false, undefined],
  ])(
    'is awaited after a receipt with hooks for %j, where a task was asked for: %s',
    async (has, isTask, kept) => {
      const { room, begun, give, told } = recording(has)
      const call = begun(isTask)
      room.set('1', { kind: 'call', call })
      expect(await give(RECEIPT)).toBe(RECEIPT)
      expect(room.taskCall('T')).toBe(kept && call)
      expect(told).toHaveLength(isTask ? 0 : 2)
    },
  )

  it('passes the hooks each time that the client asks for it, also after an error', async () => {
    const { room, begun, give } = recording(AFTER, REDACTED)
    room.set('1', { kind: 'call', call: begun(true) })
    await give(RECEIPT)
    const given: string[] = []
    for (const text of ['{"id":1,"error":{"code":1,"message":"not yet"}}', SECRET, SECRET]) {
      const call = room.taskCall('T')
      if (call) room.set('1', { kind: 'call', call })
      given.push((await give(text)) ?? '')
    }
    expect(given[0]).toContain('not yet')
    expect(given.slice(1)).toEqual(Array(2).fill('{"id":1,"result":{"content":["redacted"]}}'))
  })
})
