import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { definition, eventOf } from '../../../../tests/fixtures/definition.js'
import { decisionOf } from '../decide/decide.js'
import { read } from '../read/read.js'
import { allow, deny, followup } from '../sdk/responses.js'
import { callFunction } from './in-process.js'

const event = eventOf('beforeShellExecution')

async function outcomeFor(returned: unknown) {
  const hook = definition({ type: 'function', run: () => returned as never })
  const exit = await callFunction(hook, event, { evaluatePrompt: undefined })
  return { hook, exit, ...read(exit, hook, event) }
}

/** What a function hook that returns this counts as. */
const responseFor = async (returned: unknown) => decisionOf(await outcomeFor(returned), event)

describe('a function hook', () => {
  it.each([undefined, null])('makes no decision when it returns %j', async returned => {
    expect(await responseFor(returned)).toBe('abstain')
  })

  it('decides by the object that it returns', async () => {
    expect(await responseFor({ permission: 'allow' })).toBe('allow')
    expect(await responseFor({ permission: 'deny' })).toBe('deny')
    expect(await responseFor(Promise.resolve({ permission: 'ask' }))).toBe('ask')
  })

  it('decides by responses that the SDK makes, alone and in a list', async () => {
    expect(await responseFor(deny('no'))).toBe('deny')
    expect(await responseFor(allow())).toBe('allow')
    expect(await responseFor([allow(), undefined, deny('no')])).toBe('deny')
    expect(await responseFor([])).toBe('abstain')
    const { outcome } = await outcomeFor([deny('no', { agent: 'stop' }), deny('never')])
    expect(outcome).toEqual({
      kind: 'answered',
      answer: { permission: 'deny', user_message: 'no\n\nnever', agent_message: 'stop' },
    })
  })

  it('denies when it returns a response of the SDK that the event does not take', async () => {
    const { outcome } = await outcomeFor(followup('go on'))
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { code: 'run/bad-shape', message: expect.stringContaining('followup() is not a response') },
    })
    expect(await responseFor(followup('go on'))).toBe('deny')
    expect(await responseFor([allow(), { permission: 'deny' }])).toBe('deny')
  })

  it('receives the payload that a script reads', async () => {
    let received: unknown
    const hook = definition({
      type: 'function',
      run: payload => {
        received = payload
        return {}
      },
    })
    const payload = {
      ...event.payload,
      f: () => 1,
      s: Symbol('s'),
      u: undefined,
      d: new Date(0),
      n: Number.NaN,
    }
    await callFunction(hook, { ...event, payload }, { evaluatePrompt: undefined })
    expect(received).toStrictEqual(JSON.parse(JSON.stringify(payload)))
  })

  it.each([
    ['a BigInt', { n: 1n }],
    [
      'a cycle',
      (() => {
        const a: Record<string, unknown> = {}
        a.a = a
        return a
      })(),
    ],
  ])('is not called with %s in the payload: the call fails', (_, more) => {
    const hook = definition({ type: 'function', run: () => expect.unreachable() })
    const call = () => callFunction(hook, { ...event, payload: more as never }, { evaluatePrompt: undefined })
    expect(call).toThrow(TypeError)
  })

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  it.each([
    ['a function', () => ({ permission: 'allow' })],
    ['a symbol', Symbol('allow')],
    ['a number too large for JSON', 1n],
    ['a cycle', cycle],
    ['true', true],
    ['a text', 'allow'],
    ['a list', [{ permission: 'allow' }]],
    ['an object that JSON leaves out', { toJSON: () => undefined }],
  ])('denies when it returns %s, which may have been a deny', async (_, returned) => {
    expect(await responseFor(returned)).toBe('deny')
  })

  class Getter {
    user_message = 'no'
    get permission() {
      return 'deny'
    }
  }
  const hidden = Object.defineProperty({ user_message: 'no' }, 'permission', { value: 'deny' })
  const proxy = new Proxy(
    {},
    { get: (_, key) => (key === 'permission' ? 'deny' : undefined), ownKeys: () => [] },
  )
  let reads = 0
  const fickle = {
    get permission() {
      return reads++ % 2 === 0 ? 'deny' : 'allow'
    },
  }
  it.each([
    ['a getter of a class', new Getter()],
    ['a property that JSON leaves out', hidden],
    ['a proxy', proxy],
    ['a Map', new Map([['permission', 'deny']])],
    ['a nested Map', { hookSpecificOutput: new Map([['permissionDecision', 'deny']]) }],
    ['a getter that changes', fickle],
    ['an object that toJSON replaces', { permission: 'deny', toJSON: () => ({ permission: 'allow' }) }],
    ['toJSON', { toJSON: () => ({ permission: 'deny' }) }],
    ['a symbol as its key', { [Symbol('permission')]: 'deny' }],
    ['an object of a text', { permission: new String('deny') }],
    ['a list with such an object', [new Getter()]],
    ['a list with something else', [deny('no'), 5]],
  ])('keeps a deny in %s, also on an event that fails open', async (_, returned) => {
    expect(await responseFor(returned)).toBe('deny')
    const prompt = eventOf('beforeSubmitPrompt')
    const hook = definition({ type: 'function', run: () => returned as never })
    const exit = await callFunction(hook, prompt, { evaluatePrompt: undefined })
    expect(decisionOf({ hook, exit, ...read(exit, hook, prompt) }, prompt)).toBe('deny')
  })

  it.each([
    ['a symbol', { permission: Symbol('deny') }],
    ['a function', { permission: () => 'deny' }],
    ['ask, and allow in its JSON', { permission: 'ask', toJSON: () => ({ permission: 'allow' }) }],
  ])('denies when its decision is %s', async (_, returned) => {
    expect(await responseFor(returned)).toBe('deny')
  })

  it('decides by the properties of a class, as its JSON has them', async () => {
    class Decision {
      permission = 'allow'
    }
    expect(await responseFor(new Decision())).toBe('allow')
  })

  it('has the time limit of its entry, however long', async () => {
    // Node ends a timer beyond 31 bits after one millisecond.
    const run = () =>
      new Promise<{ permission: 'deny' }>(resolve => setTimeout(resolve, 20, { permission: 'deny' }))
    const hook = definition({ type: 'function', timeoutMs: 2 ** 31, run })
    const exit = await callFunction(hook, event, { evaluatePrompt: undefined })
    expect(exit).toMatchObject({ code: 0, stdout: '{"permission":"deny"}' })
  })

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    const hook = definition({ type: 'function', run: () => ({}) })
    await callFunction(hook, event, { evaluatePrompt: undefined, signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('is not waited for when the host cancels, and its signal is aborted', async () => {
    const controller = new AbortController()
    let own: AbortSignal | undefined
    const hook = definition({
      type: 'function',
      run: (_, { signal }) => {
        own = signal
        return new Promise<never>(() => {})
      },
    })
    const called = callFunction(hook, event, { evaluatePrompt: undefined, signal: controller.signal })
    expect(own?.aborted).toBe(false)
    controller.abort()
    expect((await called).failure).toEqual({ code: 'run/signal', message: 'The host cancelled the event.' })
    expect(own?.aborted).toBe(true)
  })
})
