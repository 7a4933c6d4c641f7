import type { AskQuestion } from '@holdfast/hooks'
import { describe, expect, it } from 'vitest'
import { type Asking, askThrough } from './ask.js'
import { type Message, readLine } from './message.js'

const sent: { id?: string; method: string; params: Record<string, unknown> }[] = []
const open = (): Asking => {
  sent.length = 0
  return askThrough(text => sent.push(JSON.parse(text)))
}
const question = (over: Partial<AskQuestion> = {}): AskQuestion =>
  ({
    fields: { tool_name: 'MCP:write', tool_input: { path: 'a' } },
    message: 'Really?',
    ...over,
  }) as AskQuestion

const messageOf = (text: string): Message => {
  const line = readLine(text)
  if (line.kind !== 'one') throw new Error(`${text} is ${line.kind}`)
  return line.message
}

/** Puts a question and takes `rest` as the rest of the client's answer to it. */
async function answered(rest: string): Promise<boolean> {
  const asking = open()
  const answer = asking.ask(question())
  expect(asking.take(messageOf(`{"jsonrpc":"2.0","id":"${sent[0]!.id}",${rest}}`))).toBe(true)
  return answer
}
const form = (content: unknown) => `"result":${JSON.stringify({ action: 'accept', content })}`

describe('the answer of the client', () => {
  it.each([form({ allow: true }), form({ allow: true, note: 'as agreed' })])('%s is a yes', async rest => {
    expect(await answered(rest)).toBe(true)
  })

  it.each([
    form({}),
    form(undefined),
    form(null),
    form(true),
    form('true'),
    form([]),
    form([true]),
    form([{ allow: true }]),
    ...[false, null, 0, 1, '', 'true', 'yes', {}, [], [true], { allow: true }].map(allow => form({ allow })),
    form({ Allow: true }),
    form({ allowed: true }),
    form({ properties: { allow: true } }),
    ...['decline', 'cancel', '', 'Accept', 'accepted', true, null, ['accept']].map(
      action => `"result":${JSON.stringify({ action, content: { allow: true } })}`,
    ),
    '"result":{"content":{"allow":true}}',
    '"result":{"allow":true}',
    '"result":{}',
    '"result":true',
    '"result":"accept"',
    '"result":null',
    '"result":[{"action":"accept","content":{"allow":true}}]',
    '"error":{"code":-32601,"message":"no such method"}',
    '"error":{"action":"accept","content":{"allow":true}}',
    `"error":{"code":1,"message":"late"},${form({ allow: true })}`,
    `${form({ allow: true })},"error":null`,
    '"result":{"action":"accept","content":{"allow":false,"allow":true}}',
    '"result":{"action":"cancel","action":"accept","content":{"allow":true}}',
    '"result":{"action":"accept","content":{"allow":false},"content":{"allow":true}}',
    '"result":{"action":"accept","content":1,"content":{"allow":true}}',
    '"answer":{"action":"accept","content":{"allow":true}}',
  ])('%s is a no', async rest => {
    expect(await answered(rest)).toBe(false)
  })
})

describe('a question', () => {
  it('asks for a form that must say whether to allow the call', () => {
    const asking = open()
    asking.ask(question())
    expect(sent).toMatchObject([
      {
        method: 'elicitation/create',
        params: {
          message: 'Really?\n\nwrite {"path":"a"}',
          requestedSchema: { properties: { allow: { type: 'boolean' } }, required: ['allow'] },
        },
      },
    ])
  })

  it('cuts long arguments, and has words of its own where the hook has none', () => {
    const asking = open()
    asking.ask(question({ message: null, fields: { tool_name: 'MCP:write', tool_input: 'x'.repeat(700) } }))
    expect(sent[0]!.params.message).toBe(
      `A hook wants you to approve this call.\n\nwrite ${'x'.repeat(600)}…`,
    )
  })

  it('has an id of its own, and is answered by that id alone', async () => {
    const asking = open()
    const [first, second] = [asking.ask(question()), asking.ask(question())]
    const ids = sent.map(({ id }) => id!)
    expect(new Set(ids).size).toBe(2)
    // Nothing in one id tells the next one: a server may learn the id of a question that is over.
    expect(ids.map(id => id.length)).toEqual([45, 45])
    expect(ids[0]!.slice(-12)).not.toBe(ids[1]!.slice(-12))
    const yes = (id: unknown) => messageOf(`{"id":${JSON.stringify(id)},${form({ allow: true })}}`)
    for (const id of ['holdfast', `${ids[0]}-1`, 'other-1', 1, null]) expect(asking.take(yes(id))).toBe(false)
    expect(asking.take(messageOf(form({ allow: true }).replace(/^/, '{').concat('}')))).toBe(false)
    expect(asking.take(messageOf(`{"id":"${ids[1]}","method":"ping"}`))).toBe(false)
    expect(asking.take(yes(ids[1]))).toBe(true)
    expect(asking.take(yes(ids[1]))).toBe(false)
    expect(await second).toBe(true)
    asking.close()
    expect(await first).toBe(false)
  })

  it('is withdrawn when the call is cancelled, and a late yes is nobody’s', async () => {
    const asking = open()
    const controller = new AbortController()
    const answer = asking.ask(question({ signal: controller.signal }))
    const { id } = sent[0]!
    controller.abort()
    expect(await answer).toBe(false)
    expect(sent.slice(1)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: id } }])
    expect(asking.take(messageOf(`{"id":"${id}",${form({ allow: true })}}`))).toBe(false)
  })

  it('that was answered is not withdrawn any more', async () => {
    const asking = open()
    const controller = new AbortController()
    const answer = asking.ask(question({ signal: controller.signal }))
    asking.take(messageOf(`{"id":"${sent[0]!.id}",${form({ allow: true })}}`))
    controller.abort()
    expect(await answer).toBe(true)
    expect(sent).toHaveLength(1)
  })
})
