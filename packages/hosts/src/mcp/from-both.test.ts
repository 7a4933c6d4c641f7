// Lines of the client and of the server, with a gateway that only records.

import { describe, expect, it } from 'vitest'
import { fromClient, type Outward } from './from-client.js'
import { fromServer, type Homeward } from './from-server.js'
import { HeldQuestions } from './held.js'
import { WaitingRoom } from './waiting.js'

function gateway({ gone = false, output = null as object | null } = {}) {
  const [sent, said, notes]: [string[], string[], string[]] = [[], [], []]
  const requests: (readonly string[])[] = []
  const work: Promise<unknown>[] = []
  const waiting = new WaitingRoom()
  const opened = {
    hooks: { has: () => true, catalog: () => ({ missing: [] }) },
    session: {
      guard: async (_: string, fields: { tool_name: string }) => {
        if (fields.tool_name.includes('broken')) throw new Error('The engine is closed.')
        return { verdict: { updatedInput: null } }
      },
      takeContext: () => null,
      fire: async () => ({ updatedMcpToolOutput: output, additionalContext: null }),
    },
    context: null,
    blocked: null,
  }
  const gate: Outward & Homeward = {
    ...{ waiting, signal: undefined, serverInfo: () => ({}), takesAnswer: () => false, greeted: () => {} },
    ...{
      pins: undefined,
      ask: null,
      askElsewhere: null,
      named: () => {},
      takeContext: () => null,
      learnName: async () => {},
    },
    held: new HeldQuestions(),
    gone: gone ? { code: 1, words: 'The server ended.', isCrash: true } : undefined,
    open: async () => opened as never,
    note: text => void notes.push(text),
    say: text => void said.push(text),
    write: data => void said.push(String(data).trimEnd()),
    outward: one => {
      work.push(one)
      return one as Promise<void>
    },
    homeward: one => void work.push(one),
    server: {
      send: (line: Buffer | string, ids: readonly string[]) => {
        sent.push(String(line).trimEnd())
        requests.push(ids)
      },
    } as never,
  }
  const settled = async () => void (await Promise.all(work.splice(0)))
  return {
    ...{ sent, said, notes, requests, waiting },
    async send(line: string | null) {
      await fromClient(gate, line === null ? null : Buffer.from(`${line}\n`))
      await settled()
    },
    async give(line: string | null) {
      await fromServer(gate, line === null ? null : Buffer.from(`${line}\n`))
      await settled()
    },
  }
}

const call = (id: number, name = 'read') => `{"id":${id},"method":"tools/call","params":{"name":"${name}"}}`
const secret = (id: number) => `{"id":${id},"result":{"content":[{"type":"text","text":"secret"}]}}`
const codes = (lines: readonly string[]) => lines.map(line => JSON.parse(line).error.code)

describe('a line of the client', () => {
  it.each([
    ['that is too long', null, -32600],
    ['with a part twice', '{"id":1,"method":"ping","method":"tools/call"}', -32600],
    ['that holds a call and is not JSON', `${call(1)},`, -32700],
    ['with a call between carriage returns', `{"method":"x","params":\r${call(1)}\r}`, -32600],
    ['with a part in other letters', '{"id":1,"Method":"tools/call","params":{"name":"no"}}', -32600],
    ['with a part in letters that fold', '{"id":1,"method":"ping","param\u017f":{"name":"no"}}', -32600],
    ['that asks and answers', '{"id":1,"method":"ping","result":{}}', -32600],
  ])('%s is refused', async (_, line, code) => {
    const { send, sent, said, notes } = gateway()
    await send(line)
    expect([sent, codes(said), notes.length]).toEqual([[], [code], 1])
  })

  it.each([
    '{"name":"x","arguments":[]}',
    '{"name":"x","arguments":[{}]}',
    '{"name":"x","arguments":0}',
    '{"name":"x","arguments":false}',
    '{"name":"x","arguments":""}',
    '{"name":null}',
    '{"name":"x","name":"x"}',
    '{"name":"x","NAME":"y"}',
    '{"name":"x","arguments":{},"argument\\u017f":{}}',
    '{"name":"x","arguments":{},"arguments":{}}',
  ])('that calls a tool with %s is refused', async params => {
    const { send, sent, said } = gateway()
    await send(`{"id":1,"method":"tools/call","params":${params}}`)
    expect([sent, codes(said)]).toEqual([[], [-32602]])
  })

  it('is answered here after the server has ended, and awaits nothing', async () => {
    const { send, sent, said, waiting } = gateway({ gone: true })
    await send(call(1))
    await send(`[${call(2)},{"method":"n"},{"id":3,"method":"ping"}]`)
    await send('{"method":"n"}')
    expect(said.map(line => JSON.parse(line).id)).toEqual([1, 2, 3])
    expect(codes(said)).toEqual([-32000, -32000, -32000])
    expect([sent, waiting.isEmpty]).toEqual([[], true])
  })

  it('names to the server only the requests that were sent', async () => {
    const { send, sent, requests } = gateway()
    await send(`[${call(1, 'broken')},${call(2)},{"method":"n"},{"id":"3","method":"ping"}]`)
    expect(sent).toEqual([`[${call(2)},{"method":"n"},{"id":"3","method":"ping"}]`])
    expect(requests).toEqual([['2', '"3"']])
  })
})

describe('a line of the server', () => {
  it.each([
    ['that is too long', null],
    ['with a part twice', '{"id":1,"result":"secret","result":{}}'],
    ['with a part twice in a batch', '[{"id":1,"result":"secret","result":{}}]'],
    ['that asks and answers', '{"id":1,"method":"","result":"secret"}'],
    ['with an id in other letters', '{"ID":1,"result":"secret"}'],
    ['with an answer between carriage returns', `{"method":"x","params":\r${secret(1)}\r}`],
    ['with an answer that a lenient client could read', '{"id":1,"result":{"content":[],"n":NaN}}'],
    ['with an escaped answer that a lenient client could read', '{"id":1,"\\u0072esult":{"n":NaN}}'],
  ])('%s is dropped while a call waits', async (_, line) => {
    const { send, give, said, notes } = gateway()
    await send(call(1))
    await give(line)
    expect([said, notes.length]).toEqual([[], 1])
  })

  it('with results of calls and other answers has each of the results changed', async () => {
    const { send, give, said } = gateway({ output: { content: ['clean'] } })
    await send(call(1))
    await send(call(2))
    await give(`[${secret(1)},{"id":9,"result":{}},5,${secret(2)}]`)
    const clean = (id: number) => `{"id":${id},"result":{"content":["clean"]}}`
    expect(said).toEqual([`[${clean(1)},{"id":9,"result":{}},5,${clean(2)}]`])
  })

  it.each([
    ['the first answer', '{"id":2,"result":{}}'],
    ['the answer to another request of the batch', '{"id":3,"result":{}}'],
  ])('brings the refusals of a batch once, with %s', async (_, line) => {
    const { send, give, said, waiting } = gateway()
    await send(`[${call(1, 'broken')},{"id":2,"method":"a"},{"id":3,"method":"b"}]`)
    expect([said, waiting.isEmpty]).toEqual([[], false])
    for (const each of [line, line, '{"id":2,"result":{}}', '{"id":3,"result":{}}']) await give(each)
    const [first, ...rest] = said
    expect(JSON.parse(first!)).toMatchObject([{ id: 1, error: { code: -32603 } }])
    expect(rest).toEqual([line, line, '{"id":2,"result":{}}', '{"id":3,"result":{}}'])
    expect(waiting.isEmpty).toBe(true)
  })
})
