// The MCP gateway asks the client through a form. A call reaches the server only after a clear yes.

import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { runGateway, type Server } from '@holdfast/hosts/mcp'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
  space.project({ beforeMCPExecution: [{ command: `echo '{"permission":"ask"}'` }] })
})
afterEach(() => space.close())

interface Line {
  readonly id?: unknown
  readonly method?: string
  readonly result?: Record<string, unknown>
}

/** A client and a server in this process, with the gateway between them. */
function connect() {
  const [input, output, fromServer] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const called: unknown[] = []
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  }).then(() => ({ code: 0, words: 'The server ended.', isCrash: false }))
  const server: Server = {
    lines: fromServer,
    send(line) {
      const { id, method, params } = JSON.parse(String(line))
      if (method === 'tools/call') called.push(params.name)
      const result = method === 'initialize' ? { serverInfo: { name: 'test' } } : { content: [] }
      if (id !== undefined) fromServer.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
      return undefined
    },
    greeted() {},
    finish() {
      fromServer.end()
      end()
    },
    ended,
  }
  const host = {
    workspaceRoots: [space.root],
    home: space.home,
    enterpriseDir: space.enterprise,
    trustAll: true,
    watch: false,
  }
  const done = runGateway({ host, input, output, server, fields: {} })
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return {
    called,
    send: (line: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`),
    async next(): Promise<Line> {
      const { value } = await lines.next()
      return JSON.parse(value as string) as Line
    },
    async close() {
      input.end()
      return done
    },
  }
}

const YES = { result: { action: 'accept', content: { allow: true } } }

it('a call is sent on after a clear yes, and after nothing else', async () => {
  const { send, next, called, close } = connect()
  send({ id: 0, method: 'initialize', params: { capabilities: { elicitation: {} } } })
  expect(await next()).toMatchObject({ id: 0 })
  const answers: [name: string, answer: object][] = [
    ['no content', { result: { action: 'accept' } }],
    ['empty content', { result: { action: 'accept', content: {} } }],
    ['yes', YES],
    ['a text', { result: { action: 'accept', content: { allow: 'true' } } }],
    ['a number', { result: { action: 'accept', content: { allow: 1 } } }],
    ['declined', { result: { action: 'decline', content: { allow: true } } }],
    ['no action', { result: { content: { allow: true } } }],
    ['an error', { error: { code: -32603, message: 'no' } }],
    ['an error beside a yes', { ...YES, error: { code: -32603, message: 'no' } }],
    ['yes with more', { result: { action: 'accept', content: { allow: true, note: 'x' } } }],
  ]
  const asked = new Set<unknown>()
  for (const [name, answer] of answers) {
    send({ id: name, method: 'tools/call', params: { name } })
    const question = await next()
    expect(question.method).toBe('elicitation/create')
    asked.add(question.id)
    send({ id: question.id, ...answer })
    const { id, result } = await next()
    expect([id, result?.isError === true]).toEqual([name, !name.startsWith('yes')])
  }
  expect(called).toEqual(['yes', 'yes with more'])
  expect(asked.size).toBe(answers.length)
  expect(await close()).toBe(0)
})

it('a call is not sent on to a server when the client cannot show forms, or leaves', async () => {
  const silent = connect()
  silent.send({ id: 0, method: 'initialize', params: { capabilities: {} } })
  await silent.next()
  silent.send({ id: 1, method: 'tools/call', params: { name: 'x' } })
  expect((await silent.next()).result?.isError).toBe(true)
  await silent.close()
  const leaving = connect()
  leaving.send({ id: 0, method: 'initialize', params: { capabilities: { elicitation: {} } } })
  await leaving.next()
  leaving.send({ id: 1, method: 'tools/call', params: { name: 'x' } })
  expect((await leaving.next()).method).toBe('elicitation/create')
  await leaving.close()
  expect([silent.called, leaving.called]).toEqual([[], []])
})
