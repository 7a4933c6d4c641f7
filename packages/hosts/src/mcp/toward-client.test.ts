import { describe, expect, it } from 'vitest'
import { type Message, readLine } from './message.js'
import { type Back, towardClient } from './toward-client.js'
import { type Waiting, WaitingRoom } from './waiting.js'

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
    hooks: { has: () => true },
    session: { fire: () => Promise.reject(new Error('The engine is closed.')) },
    context: null,
    blocked: null,
  }
  const back: Back = {
    waiting: room,
    signal: undefined,
    open: async () => opened as never,
    serverFacts: () => ({}),
    greeted: () => {},
    note: note => notes.push(note),
  }
  return towardClient(back, messageOf(text))
}

const tool = { name: 'read', argumentsText: '{}', arguments: {}, useId: '1' }
const waiting: Waiting = {
  kind: 'call',
  call: { id: '1', isTask: false, abort: new AbortController(), tool, sentAt: 0 },
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
