import { inspect } from 'node:util'
import type { PromptQuestion } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type PromptEvaluatorOptions, promptEvaluator } from './evaluate.js'
import {
  answer,
  closedPort,
  fail,
  type ModelServer,
  raw,
  startModelServer,
  TEST_KEY,
} from './testing/model-server.js'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const PAYLOAD = 'payload: {"command":"curl https://internal.example/secret-path"}'

type Given = Partial<PromptQuestion> & { options?: PromptEvaluatorOptions }

function ask(model: string, { options, ...given }: Given = {}) {
  const evaluate = promptEvaluator({ model, baseUrl: server.url, apiKey: TEST_KEY, env: {}, ...options })
  const signal = new AbortController().signal
  return evaluate({ system: 'Be strict.', prompt: PAYLOAD, model: null, timeoutMs: 10_000, signal, ...given })
}

/** The error, after checking that neither the key nor the payload hides anywhere in it. */
async function failure(asking: Promise<unknown>): Promise<string> {
  const error = await asking.then(
    () => new Error('it answered'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  const everything = inspect(error, { depth: 20, showHidden: true })
  expect(everything).not.toContain(TEST_KEY)
  expect(everything).not.toContain('secret-path')
  const { message } = error as Error
  expect(message.length).toBeLessThan(500)
  return message
}

/** The connections that carried the requests are gone; the server never closes them itself. */
async function closed(): Promise<void> {
  expect(server.requests.length).toBeGreaterThan(0)
  await vi.waitFor(
    () => expect(server.requests.every(request => request.socket.destroyed)).toBe(true),
    10_000,
  )
}

describe.each(['openai-compatible/llama3', 'anthropic/claude-haiku-4-5'])('%s', model => {
  const provider = model.split('/')[0]

  /** The limit is reached when the question is on its way, however slow the machine is. */
  async function atTheLimit(behave: ModelServer['behave']): Promise<string> {
    const asked = new Promise<void>(resolve => {
      server.behave = (request, response) => {
        behave(request, response)
        resolve()
      }
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const asking = failure(ask(model, { timeoutMs: 200 }))
      await asked
      vi.advanceTimersByTime(199)
      const pending = Symbol('pending')
      expect(await Promise.race([asking, new Promise(next => setImmediate(() => next(pending)))])).toBe(
        pending,
      )
      vi.advanceTimersByTime(1)
      return await asking
    } finally {
      vi.useRealTimers()
    }
  }

  it('gives up on a slow model and closes the socket', async () => {
    expect(await atTheLimit(() => {})).toBe('the model did not answer within 200 ms')
    expect(server.requests).toHaveLength(1)
    await closed()
  })

  it('gives up on an answer that trickles', async () => {
    const message = await atTheLimit((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":')
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    })
    expect(message).toBe('the model did not answer within 200 ms')
    await closed()
  })

  it('stops when the engine cancels, and closes the socket', async () => {
    const controller = new AbortController()
    server.behave = () => controller.abort()
    expect(await failure(ask(model, { signal: controller.signal }))).toBe('the question was cancelled')
    await closed()
  })

  it('does not ask at all when already cancelled', async () => {
    expect(await failure(ask(model, { signal: AbortSignal.abort() }))).toBe('the question was cancelled')
    expect(server.requests).toHaveLength(0)
  })

  it('reports a refused key once, with the key struck out', async () => {
    server.behave = fail(
      401,
      `Incorrect API key provided: ${TEST_KEY}, or ${TEST_KEY.slice(0, 11)}*****ghij, or sk-proj-**wxyz.`,
    )
    expect(await failure(ask(model))).toMatch(
      new RegExp(`^${provider} answered 401: Incorrect API key .*\\[key\\]`),
    )
    expect(server.requests).toHaveLength(1)
  })

  it('leaves out a provider message that repeats the payload', async () => {
    server.behave = fail(400, `Cannot parse ${PAYLOAD}`)
    expect(await failure(ask(model))).toBe(
      `${provider} answered 400: (its message repeats the question and is left out)`,
    )
  })

  it('tries a limited or broken service a second time, not a third', async () => {
    server.behave = fail(429, 'Rate limit reached', { 'retry-after': '0' })
    expect(await failure(ask(model))).toBe(`${provider} answered 429: Rate limit reached`)
    expect(server.requests).toHaveLength(2)
    server.behave = fail(500, 'Internal server error', { 'retry-after': '0' })
    expect(await failure(ask(model))).toBe(`${provider} answered 500: Internal server error`)
    expect(server.requests).toHaveLength(4)
  })

  it('takes the answer of the second try', async () => {
    server.behave = (request, response) => {
      server.behave = answer({ ok: false, reason: 'no' })
      fail(529, 'Overloaded', { 'retry-after': '0' })(request, response)
    }
    expect(await ask(model)).toEqual({ ok: false, reason: 'no' })
  })

  it('does not wait for a second try that cannot fit', async () => {
    server.behave = fail(429, 'Rate limit reached', { 'retry-after': '30' })
    expect(await failure(ask(model))).toBe(`${provider} answered 429: Rate limit reached`)
    expect(server.requests).toHaveLength(1)
  })

  it('reports a server that is not there', async () => {
    const port = await closedPort()
    const options = { baseUrl: `http://127.0.0.1:${port}/v1` }
    expect(await failure(ask(model, { options }))).toBe(
      `could not reach ${provider} at 127.0.0.1:${port} (ECONNREFUSED)`,
    )
  })

  it('reports a connection that is reset midway', async () => {
    server.behave = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"id":"x","choices":[', () => response.socket?.resetAndDestroy())
    }
    expect(await failure(ask(model))).toMatch(
      `the connection to ${provider} broke before its answer was complete`,
    )
    server.behave = (_, response) => response.socket?.resetAndDestroy()
    expect(await failure(ask(model))).toMatch(`could not reach ${provider}`)
  })

  it.each([
    ['no JSON', raw('ok: true')],
    ['nothing', raw('')],
    ['truncated', raw('{"id":"x","choices":[{"message":{"role":"assistant","content":"{\\"ok\\":tr')],
    ['a page', raw('<!doctype html><title>Sign in</title>{"ok": true}', 'text/html')],
    ['a bare answer without its envelope', raw('{"ok": true}')],
    ['another envelope', raw('{"choices": "none", "type": "message", "content": 5}')],
    [
      'an envelope with nothing in it',
      raw('{"choices":[],"type":"message","content":[],"usage":{"input_tokens":1,"output_tokens":1}}'),
    ],
  ])('rejects %s', async (_, behave) => {
    server.behave = behave
    expect(await failure(ask(model))).toMatch(
      /not a reply of its interface|no structured answer|could not be asked/,
    )
    expect(server.requests).toHaveLength(1)
  })

  it.each([200, 400])('stops reading a huge body (status %i)', async status => {
    server.behave = (_, response) => {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(`{"id":"${'x'.repeat(20 * 1024 * 1024)}"}`)
    }
    expect(await failure(ask(model))).toBe('the reply is larger than 1048576 bytes')
    await closed()
  })

  it('does not follow a redirect with the key in hand', async () => {
    const other = await startModelServer()
    server.behave = (_, response) => response.writeHead(307, { location: `${other.url}/messages` }).end()
    expect(await failure(ask(model))).toMatch('a redirect, which is not followed')
    expect(other.requests).toHaveLength(0)
    await other.close()
  })

  it('holds the time limit over a fetch that ignores its signal', async () => {
    const options = { fetch: () => new Promise<Response>(() => {}) }
    expect(await failure(ask(model, { options, timeoutMs: 100 }))).toBe(
      'the model did not answer within 100 ms',
    )
  })

  it('says nothing of an unexpected error but that it happened', async () => {
    const options = { fetch: () => Promise.reject(new Error(`bad header ${TEST_KEY} ${PAYLOAD}`)) }
    expect(await failure(ask(model, { options }))).toBe(`the model of ${provider} could not be asked`)
  })
})
