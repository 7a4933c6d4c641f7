// The translation between revisions, with a server and a client that keep to neither.

import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { META } from './modern.js'
import { translated } from './translate.js'

// biome-ignore lint/suspicious/noExplicitAny: any message
type Json = Record<string, any>

function between(forModernOnly: boolean) {
  const lines = new PassThrough({ objectMode: true })
  const toServer: Json[] = []
  const toClient: Json[] = []
  const server = translated(
    {
      lines,
      send: line => void toServer.push(JSON.parse(String(line))),
      greeted: () => {},
      finish: () => {},
      ended: new Promise(() => {}),
    },
    forModernOnly,
  )
  const read = async () => {
    for await (const line of server.lines) toClient.push(JSON.parse(String(line)))
  }
  read()
  const send = (message: Json) => void server.send(`${JSON.stringify(message)}\n`, [])
  const give = (message: Json | string) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    lines.write(Buffer.from(`${text}\n`))
  }
  const sent = async (count: number) => {
    await expect.poll(() => toServer.length).toBe(count)
    return toServer[count - 1]!
  }
  const given = async (count: number) => {
    await expect.poll(() => toClient.length).toBe(count)
    return toClient[count - 1]!
  }
  return { send, give, sent, given }
}

const _meta = { [META.version]: '2026-07-28' }
const call = (id: number, name: string, more: Json = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...more, _meta },
})

async function legacyServer() {
  const sides = between(true)
  sides.send(call(1, 'secret'))
  sides.give({ id: (await sides.sent(1)).id, error: { code: -32601, message: 'No.' } })
  sides.give({ id: (await sides.sent(2)).id, result: { capabilities: {} } })
  await sides.sent(4)
  return sides
}

async function modernServer() {
  const sides = between(false)
  sides.send({ id: 1, method: 'initialize', params: {} })
  sides.give({ id: 1, error: { code: -32601, message: 'No.' } })
  const { id } = await sides.sent(2)
  sides.give({ id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } })
  await sides.given(1)
  return sides
}

// The answer would pass the hooks as that of the other request.
it.each([
  ['another tool', (more: Json) => call(2, 'echo', more)],
  ['other arguments', (more: Json) => call(2, 'secret', { arguments: { all: true }, ...more })],
  ['another method', (more: Json) => ({ ...call(2, 'secret', more), method: 'tools/list' })],
])('the requestState of a call is refused for %s', async (_, again) => {
  const { send, give, sent, given } = await legacyServer()
  const { id } = await sent(4)
  give({ id: 'q', method: 'elicitation/create', params: { message: 'Really?' } })
  const { requestState } = (await given(1)).result
  send(again({ requestState, inputResponses: { 0: { action: 'accept' } } }))
  expect(await given(2)).toMatchObject({ id: 2, error: { code: -32602 } })
  send(call(3, 'secret', { requestState, inputResponses: { 0: { action: 'accept' } } }))
  expect(await sent(5)).toEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'accept' } })
  give({ id, result: { content: [] } })
  expect(await given(3)).toMatchObject({ id: 3, result: { content: [] } })
})

it.each([[null], [[]], [['a']], [5], ['x']])('parameters that are %j become an object', async params => {
  const { send, sent } = await modernServer()
  send({ id: 2, method: 'tools/list', params })
  expect(await sent(3)).toMatchObject({ id: 2, params: { _meta: { [META.version]: '2026-07-28' } } })
})

it.each([[null], [[]], ['x']])('metadata that is %j, too', async _meta => {
  const { send, sent } = await modernServer()
  send({ id: 2, method: 'tools/list', params: { _meta } })
  expect(await sent(3)).toMatchObject({ id: 2, params: { _meta: { [META.version]: '2026-07-28' } } })
})

it('a question that is nested too deeply does not end the connection', async () => {
  const { send, give, sent, given } = await modernServer()
  send({ id: 2, method: 'tools/call', params: { name: 'x' } })
  await sent(3)
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  give(
    `{"id":2,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"m","params":${deep}}}}}`,
  )
  expect(await given(2)).toMatchObject({ id: 2, error: { code: -32603 } })
  give({ method: 'notifications/message', params: {} })
  expect(await given(3)).toMatchObject({ method: 'notifications/message' })
})
