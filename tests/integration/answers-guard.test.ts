// Every question to a user, through the public entry points: only a clear yes lets an action proceed.

import { HookBlockedError, type Hooks, type OnAsk } from '@holdfast/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FAILING_ANSWERS, UNCLEAR_ANSWERS } from '../fixtures/unclear-answers.js'
import { Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

/** An engine with one hook that asks about every action. */
async function asking(onAsk?: () => unknown): Promise<Hooks> {
  const hooks = await space.open(onAsk ? { onAsk: onAsk as OnAsk } : {})
  for (const event of ['beforeShellExecution', 'preToolUse', 'beforeMCPExecution'] as const) {
    hooks.register({ event, run: () => ({ permission: 'ask' }) })
  }
  return hooks
}

const ACTIONS: readonly (readonly [name: string, (hooks: Hooks) => Promise<{ granted: boolean }>])[] = [
  ['a command', hooks => hooks.guard('beforeShellExecution', { command: 'ls' })],
  ['a tool', hooks => hooks.guard('preToolUse', { tool_name: 'Write' })],
  ['an MCP tool', hooks => hooks.guard('beforeMCPExecution', { tool_name: 'query', tool_input: '{}' })],
]

describe.each(ACTIONS)('%s that a hook asks about', (_, act) => {
  it('happens when the answer is true', async () => {
    expect((await act(await asking(async () => true))).granted).toBe(true)
  })

  it('does not happen when nobody can be asked', async () => {
    await expect(act(await asking())).rejects.toThrow(HookBlockedError)
  })

  it.each(UNCLEAR_ANSWERS)('does not happen when the answer is %s', async (_, answer) => {
    await expect(act(await asking(answer))).rejects.toThrow(HookBlockedError)
  })

  it.each(FAILING_ANSWERS)('does not happen when the answer is %s', async (_, answer) => {
    await expect(act(await asking(answer))).rejects.toThrow('no terminal')
  })
})

describe('a question that is never answered', () => {
  it('keeps the action back until the host cancels it', async () => {
    let isAsked = () => {}
    const asked = new Promise<void>(resolve => {
      isAsked = resolve
    })
    const hooks = await asking(() => {
      isAsked()
      return new Promise(() => {})
    })
    const controller = new AbortController()
    let happened = false
    const { signal } = controller
    const action = hooks.guard('beforeShellExecution', { command: 'ls' }, { signal }).then(() => {
      happened = true
    })
    await asked
    expect(happened).toBe(false)
    controller.abort()
    await expect(action).rejects.toMatchObject({ code: 'use/aborted' })
    expect(happened).toBe(false)
  })
})

describe('a question of the host’s own', () => {
  it.each(UNCLEAR_ANSWERS)('is answered no by %s', async (_, answer) => {
    const hooks = await space.open()
    expect(await hooks.ask(answer as () => boolean)).toBe(false)
  })
})
