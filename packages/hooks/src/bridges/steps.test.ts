import { describe, expect, it } from 'vitest'
import { definition } from '../../../../tests/fixtures/definition.js'
import type { Hooks } from '../index.js'
import type { HookDefinition } from '../protocol/config.js'
import { EVENT_SPECS } from '../protocol/events.js'
import type { HookStatus } from '../status.js'
import { failsClosed } from './steps.js'

const hooksWith = (
  hook: Partial<HookDefinition> | null,
  { state = 'ready' as HookStatus['state'], missing = 0 } = {},
) => {
  const list = hook ? [{ hook: definition(hook), state, runs: 0, lastRun: null }] : []
  return { list: () => list, catalog: () => ({ missing: Array(missing).fill({}) }) } as unknown as Hooks
}

describe('failsClosed', () => {
  const gates = EVENT_SPECS.filter(({ gate }) => gate !== 'none')
  const byFailure = (kind: string) =>
    gates.filter(({ gate, failure }) => gate === 'permission' && failure === kind)

  it('is tested with events of every kind', () => {
    for (const events of [
      byFailure('closed'),
      byFailure('open'),
      gates.filter(({ gate }) => gate === 'continue'),
    ])
      expect(events.length).toBeGreaterThan(0)
  })

  it.each(gates)('blocks $name by the entry, else by the event', ({ name: event, gate, failure }) => {
    const blocks = (failClosed?: boolean) =>
      failsClosed(hooksWith({ event, ...(failClosed === undefined ? {} : { failClosed }) }), [event])
    expect(blocks(true)).toBe(true)
    expect(blocks(false)).toBe(false)
    expect(blocks()).toBe(gate === 'permission' && failure === 'closed')
  })

  it('ignores hooks that are untrusted, in audit mode, or of another event', () => {
    const strict = { event: 'beforeShellExecution', failClosed: true } as const
    const events = ['beforeShellExecution', 'preToolUse'] as const
    expect(failsClosed(hooksWith(strict), events)).toBe(true)
    expect(failsClosed(hooksWith(strict, { state: 'never-matched' }), events)).toBe(true)
    expect(failsClosed(hooksWith(strict, { state: 'invalid' }), events)).toBe(true)
    expect(failsClosed(hooksWith(strict, { state: 'untrusted' }), events)).toBe(false)
    expect(failsClosed(hooksWith({ ...strict, mode: 'observe' }), events)).toBe(false)
    expect(failsClosed(hooksWith(strict), ['preToolUse'])).toBe(false)
    expect(failsClosed(hooksWith(null), events)).toBe(false)
  })

  it('blocks while a required source is missing', () => {
    expect(failsClosed(hooksWith(null, { missing: 1 }), ['preToolUse'])).toBe(true)
  })
})
