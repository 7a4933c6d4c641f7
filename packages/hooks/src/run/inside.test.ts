import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { definition, eventOf } from '../../../../tests/fixtures/definition.js'
import { opinionOf } from '../decide/failure.js'
import { read } from '../read/read.js'
import { callFunction } from './inside.js'

const event = eventOf('beforeShellExecution')

/** What a function hook that returns this counts as. */
async function opinionFor(returned: unknown) {
  const hook = definition({ type: 'function', run: () => returned as never })
  const exit = await callFunction(hook, event, { evaluatePrompt: undefined })
  return opinionOf({ hook, exit, ...read(exit, hook, event) }, event)
}

describe('a function hook', () => {
  it.each([undefined, null])('has no opinion when it returns %j', async returned => {
    expect(await opinionFor(returned)).toBe('abstain')
  })

  it('decides by the object that it returns', async () => {
    expect(await opinionFor({ permission: 'allow' })).toBe('allow')
    expect(await opinionFor({ permission: 'deny' })).toBe('deny')
    expect(await opinionFor(Promise.resolve({ permission: 'ask' }))).toBe('ask')
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
    expect(await opinionFor(returned)).toBe('deny')
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
