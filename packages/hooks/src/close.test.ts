// Closing the engine while hooks run, with real processes.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAlive, until, Workspace } from '../../../tests/fixtures/workspace.js'
import type { Hooks } from './engine.js'

const shell = 'beforeShellExecution' as const
const ls = { command: 'ls' }

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

/** A hook that writes its process id and that of its child, ignores SIGTERM on request, and waits. */
const waiting = (name: string, trap = '') =>
  `${trap}sleep 60 & echo $$ $! > ${join(space.base, `${name}.tmp`)}; mv ${join(space.base, `${name}.tmp`)} ${join(space.base, name)}; wait; sleep 60`

const started = (name: string) => until(() => existsSync(join(space.base, name)))

const pidsOf = (name: string) => readFileSync(join(space.base, name), 'utf8').trim().split(' ').map(Number)

function withSignal() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

describe('close()', () => {
  it('ends what runs, rejects the calls, and leaves records but no process', async () => {
    space.user({ [shell]: [{ command: waiting('one') }, { command: waiting('two', "trap '' TERM; ") }] })
    const file = join(space.base, 'log.jsonl')
    const hooks = await space.open({ log: { file } })
    const records: string[] = []
    hooks.onRun(({ hook }) => records.push(hook))
    hooks.register({ event: shell, name: 'quick', run: () => ({ permission: 'deny' }) })
    const calls = [hooks.fire(shell, ls), hooks.guard(shell, ls)]
    const results = Promise.allSettled(calls)
    await Promise.all([started('one'), started('two')])
    await hooks.close()
    expect(await results).toMatchObject([
      { status: 'rejected', reason: { code: 'use/closed' } },
      { status: 'rejected', reason: { code: 'use/closed' } },
    ])
    await until(() => ![...pidsOf('one'), ...pidsOf('two')].some(isAlive))
    const written = readFileSync(file, 'utf8').trim().split('\n')
    const outcomes = written.map(line => JSON.parse(line) as Record<string, unknown>)
    expect(outcomes).toHaveLength(6)
    expect(records).toHaveLength(6)
    expect(outcomes.filter(({ failure }) => failure === 'run/signal')).toHaveLength(4)
    expect(outcomes.filter(({ permission }) => permission === 'deny')).toHaveLength(2)
    // The action did not go on.
    expect(outcomes.every(({ failed_open }) => failed_open === false)).toBe(true)
    expect(hooks.log()).toHaveLength(6)
  })

  it('may be called twice, in a hook, and before an abort', async () => {
    const hooks = await space.open()
    const controller = new AbortController()
    let closing: Promise<void> | undefined
    hooks.register({
      event: shell,
      run: async (_payload, { signal }) => {
        closing = hooks.close()
        await closing
        expect(signal.aborted).toBe(true)
      },
    })
    const fired = hooks.fire(shell, ls, { signal: controller.signal })
    await expect(fired).rejects.toMatchObject({ code: 'use/closed' })
    controller.abort()
    await Promise.all([closing, hooks.close()])
    await expect(hooks.fire(shell, ls)).rejects.toMatchObject({ code: 'use/closed' })
    await expect(hooks.startSession()).rejects.toMatchObject({ code: 'use/closed' })
  })

  it('starts no further hook and no further round', async () => {
    const hooks = await space.open()
    const judged: unknown[] = []
    hooks.register({ event: 'preToolUse', run: ({ tool_input }) => void judged.push(tool_input) })
    hooks.register({
      event: 'preToolUse',
      run: () => {
        void hooks.close()
        return { updated_input: { a: 2 } }
      },
    })
    const fired = hooks.fire('preToolUse', { tool_name: 'Write', tool_input: { a: 1 } })
    await expect(fired).rejects.toMatchObject({ code: 'use/closed' })
    expect(judged).toEqual([{ a: 1 }])
  })

  it('starts no hook after it was called while sources were read', async () => {
    const hooks = await space.open()
    const run = vi.fn(() => undefined)
    hooks.register({ event: shell, run })
    const fired = hooks.fire(shell, ls)
    const closed = hooks.close()
    await expect(fired).rejects.toMatchObject({ code: 'use/closed' })
    await closed
    expect(run).not.toHaveBeenCalled()
  })

  it('does not wait for a trust store that does not respond', async () => {
    space.project({ [shell]: [{ command: 'true' }] })
    let isHanging = false
    const trust = {
      has: () => (isHanging ? new Promise<boolean>(() => {}) : true),
      add: async () => {},
      remove: async () => {},
    }
    const hooks = await space.open({ trust, trustAll: false })
    isHanging = true
    const fired = hooks.fire(shell, ls)
    const result = expect(fired).rejects.toMatchObject({ code: 'use/closed' })
    await new Promise(resolve => setImmediate(resolve))
    await hooks.close()
    await result
  })

  it('ends a question to the user', async () => {
    let asked = () => {}
    const isAsked = new Promise<void>(resolve => {
      asked = resolve
    })
    const hooks = await space.open({
      onAsk: () => {
        asked()
        return new Promise<boolean>(() => {})
      },
    })
    hooks.register({ event: shell, run: () => ({ permission: 'ask' }) })
    const guarded = hooks.guard(shell, ls)
    const result = expect(guarded).rejects.toMatchObject({ code: 'use/closed' })
    await isAsked
    await hooks.close()
    await result
  })

  it('ends the hooks that run after a denial', async () => {
    space.user({ postToolUseFailure: [{ command: waiting('after') }] })
    const hooks = await space.open()
    hooks.register({ event: 'preToolUse', run: () => ({ permission: 'deny' }) })
    const guarded = hooks.guard('preToolUse', { tool_name: 'Write', tool_input: {} })
    await expect(guarded).rejects.toMatchObject({ code: 'use/blocked' })
    await started('after')
    await hooks.close()
    await until(() => !pidsOf('after').some(isAlive))
  })
})

describe('a signal of guard', () => {
  it('also ends the hooks that run after its denial', async () => {
    space.user({ postToolUseFailure: [{ command: waiting('after') }] })
    const hooks = await space.open()
    hooks.register({ event: 'preToolUse', run: () => ({ permission: 'deny' }) })
    const { signal, abort } = withSignal()
    const guarded = hooks.guard('preToolUse', { tool_name: 'Write', tool_input: {} }, { signal })
    await expect(guarded).rejects.toMatchObject({ code: 'use/blocked' })
    await started('after')
    abort()
    await hooks.settled()
    await until(() => !pidsOf('after').some(isAlive))
  })
})

describe('await using', () => {
  it('closes the engine at the end of the block', async () => {
    let opened: Hooks
    {
      await using hooks = await space.open()
      opened = hooks
      await hooks.fire(shell, ls)
    }
    await expect(opened.fire(shell, ls)).rejects.toMatchObject({ code: 'use/closed' })
  })
})

describe('startSession({ signal })', () => {
  it('ends the hooks of sessionStart when the signal aborts', async () => {
    space.user({ sessionStart: [{ command: waiting('start') }] })
    const hooks = await space.open()
    const controller = new AbortController()
    const session = hooks.startSession({ signal: controller.signal })
    const result = expect(session).rejects.toMatchObject({ code: 'use/aborted', cause: 'enough' })
    await started('start')
    controller.abort('enough')
    await result
    await until(() => !pidsOf('start').some(isAlive))
    expect(hooks.log()).toMatchObject([{ event: 'sessionStart', failure: 'run/signal' }])
  })
})
