// Listeners of events and verdicts: what they receive, and that they change nothing.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Workspace } from '../../../tests/fixtures/workspace.js'
import type { StartedEvent } from './observers.js'
import type { Verdict } from './protocol/verdict.js'

const shell = 'beforeShellExecution' as const
const ls = { command: 'ls' }

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

describe('a listener of verdicts', () => {
  it('receives every event: with hooks, without, denied without a run', async () => {
    space.user({ [shell]: [{ command: 'true' }, { command: 'true', matcher: 'nothing like it' }] })
    const hooks = await space.open({ required: ['enterprise'], now: () => 1000 })
    const seen: [Verdict, StartedEvent][] = []
    hooks.onVerdict((verdict, event) => seen.push([verdict, event]))
    const session = hooks.resumeSession({ conversationId: 'one', model: 'fast' })
    const fired = await session.fire(shell, ls)
    await session.fire('preToolUse', { tool_name: 'Write', tool_input: {}, tool_use_id: 'call' })
    await session.fire('afterAgentResponse', { text: 'Done.' })
    expect(seen[0]![0]).toBe(fired)
    expect(seen).toMatchObject([
      [
        { event: shell, permission: 'deny', runs: [{}], skipped: [{ reason: 'matcher' }] },
        {
          event: shell,
          startedAt: 1000,
          conversationId: 'one',
          model: 'fast',
          toolName: null,
          toolCallId: null,
        },
      ],
      [
        { event: 'preToolUse', permission: 'deny', runs: [], denials: [{}] },
        { toolName: 'Write', toolCallId: 'call' },
      ],
      [{ event: 'afterAgentResponse', permission: null, runs: [], skipped: [] }, {}],
    ])
    for (const [verdict] of seen) expect(verdict.durationMs).toBeGreaterThanOrEqual(0)
  })

  it('receives the events of guard, of sessions and of the end of the process', async () => {
    const hooks = await space.open()
    const seen: string[] = []
    hooks.onVerdict(({ event }) => seen.push(event))
    hooks.register({ event: 'preToolUse', run: () => ({ permission: 'deny' }) })
    const session = await hooks.startSession()
    await session.guard('preToolUse', { tool_name: 'Write', tool_input: {} }).catch(() => {})
    await session.settled()
    session.endSync()
    await hooks.explain(shell, ls)
    expect(seen).toEqual(['sessionStart', 'preToolUse', 'postToolUseFailure', 'sessionEnd'])
  })

  it('receives events that were cancelled, with the runs so far', async () => {
    const hooks = await space.open()
    const seen: Verdict[] = []
    hooks.onVerdict(verdict => seen.push(verdict))
    const controller = new AbortController()
    hooks.register({ event: shell, run: () => ({ permission: 'deny' }) })
    hooks.register({
      event: shell,
      run: () => new Promise<undefined>(() => setImmediate(() => controller.abort())),
    })
    await expect(hooks.fire(shell, ls, { signal: controller.signal })).rejects.toThrow('cancelled')
    await expect(hooks.fire(shell, ls, { signal: controller.signal })).rejects.toThrow('cancelled')
    expect(seen).toMatchObject([{ isCancelled: true, permission: 'deny', runs: [{}, {}] }])
    await hooks.fire('stop', {})
    expect(seen[1]!.isCancelled).toBeUndefined()
  })

  it('changes nothing when it throws, rejects, or writes to the verdict', async () => {
    const hooks = await space.open()
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const reject = (async () => {
      throw new Error('broken')
    }) as () => void
    try {
      hooks.onRun(reject)
      hooks.onChange(reject)
      await hooks.reload()
      hooks.register({ event: shell, run: () => ({ permission: 'deny' }) })
      hooks.onVerdict(() => {
        throw new Error('broken')
      })
      hooks.onVerdict(reject)
      hooks.onVerdict(verdict => {
        ;(verdict as { permission: string }).permission = 'allow'
      })
      const last = vi.fn()
      hooks.onVerdict(last)
      await expect(hooks.guard(shell, ls)).rejects.toMatchObject({ code: 'use/blocked' })
      await new Promise(resolve => setImmediate(resolve))
      expect(hooks.logProblem()).toBe('a listener threw: broken')
      expect(last.mock.calls[0]).toMatchObject([{ event: shell, permission: 'deny' }, {}])
      expect(unhandled).not.toHaveBeenCalled()
    } finally {
      process.off('unhandledRejection', unhandled)
    }
  })

  it('is called until it is taken back, twice when it was added twice', async () => {
    const hooks = await space.open()
    const listener = vi.fn()
    const [one] = [hooks.onVerdict(listener), hooks.onVerdict(listener)]
    await hooks.fire(shell, ls)
    one()
    one()
    await hooks.fire(shell, ls)
    expect(listener).toHaveBeenCalledTimes(3)
  })

  it('may register hooks, fire events and take itself back', async () => {
    const hooks = await space.open()
    const inner: Promise<Verdict>[] = []
    const end = hooks.onVerdict(() => {
      end()
      hooks.register({ event: shell, run: () => ({ permission: 'deny' }) })
      inner.push(hooks.fire(shell, ls))
    })
    expect((await hooks.fire(shell, ls)).permission).toBeNull()
    expect((await inner[0])?.permission).toBe('deny')
  })
})

describe('an observer of events', () => {
  it('starts each hook once, whatever it does', async () => {
    const hooks = await space.open()
    const run = vi.fn(() => ({ permission: 'deny' as const }))
    hooks.register({ event: shell, run })
    hooks.onEvent(() => ({
      run(_hook, start) {
        start()
        start()
      },
    }))
    hooks.onEvent(() => ({ run() {} }))
    hooks.onEvent(() => ({
      run() {
        throw new Error('broken')
      },
    }))
    const late: (() => void)[] = []
    hooks.onEvent(() => ({ run: (_hook, start) => void late.push(start) }))
    expect((await hooks.fire(shell, ls)).permission).toBe('deny')
    for (const start of late) start()
    expect(run).toHaveBeenCalledOnce()
  })

  it('receives the end once, also of a wrong call', async () => {
    const hooks = await space.open()
    const event = 'beforeMCPExecution'
    hooks.register({ event, run: () => ({}) })
    const end = vi.fn()
    hooks.onEvent(() => ({ end }))
    const verdict = await hooks.fire(event, { tool_name: 'x' })
    const tool_input = '['.repeat(200) + ']'.repeat(200)
    await expect(hooks.fire(event, { tool_name: 'x', tool_input })).rejects.toMatchObject({
      code: 'use/bad-payload',
    })
    expect(end.mock.calls).toEqual([[verdict], [null]])
  })
})

describe('unregistering during an event', () => {
  it('lets the hook that runs finish, and no later event runs it', async () => {
    const hooks = await space.open()
    const takeBack = hooks.register({
      event: shell,
      run: async () => {
        takeBack()
        await new Promise(resolve => setImmediate(resolve))
        return { permission: 'deny' }
      },
    })
    expect((await hooks.fire(shell, ls)).permission).toBe('deny')
    expect((await hooks.fire(shell, ls)).permission).toBeNull()
  })
})
