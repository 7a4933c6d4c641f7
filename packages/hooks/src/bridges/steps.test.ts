import { describe, expect, it } from 'vitest'
import { definition } from '../../../../tests/fixtures/definition.js'
import type { Hooks } from '../index.js'
import type { HookDefinition } from '../protocol/config.js'
import { EVENT_SPECS } from '../protocol/events.js'
import type { HookStatus } from '../status.js'
import { hasGate } from './steps.js'

const hooksWith = (
  hook: Partial<HookDefinition> | null,
  { state = 'ready' as HookStatus['state'], missing = 0 } = {},
) => {
  const list = hook ? [{ hook: definition(hook), state, runs: 0, lastRun: null }] : []
  return { list: () => list, catalog: () => ({ missing: Array(missing).fill({}) }) } as unknown as Hooks
}

describe('hasGate', () => {
  it.each(EVENT_SPECS)('is true for a hook of $name if it can deny, whatever failClosed is', spec => {
    const { name: event, gate } = spec
    for (const failClosed of [true, false, undefined])
      expect(
        hasGate(hooksWith({ event, ...(failClosed === undefined ? {} : { failClosed }) }), [event]),
      ).toBe(gate !== 'none')
  })

  it('ignores hooks that are untrusted, in audit mode, or of another event', () => {
    const strict = { event: 'beforeShellExecution', failClosed: true } as const
    const events = ['beforeShellExecution', 'preToolUse'] as const
    expect(hasGate(hooksWith(strict), events)).toBe(true)
    expect(hasGate(hooksWith(strict, { state: 'never-matched' }), events)).toBe(true)
    expect(hasGate(hooksWith(strict, { state: 'invalid' }), events)).toBe(true)
    expect(hasGate(hooksWith(strict, { state: 'untrusted' }), events)).toBe(false)
    expect(hasGate(hooksWith({ ...strict, mode: 'observe' }), events)).toBe(false)
    expect(hasGate(hooksWith(strict), ['preToolUse'])).toBe(false)
    expect(hasGate(hooksWith(null), events)).toBe(false)
  })

  it('blocks while a required source is missing', () => {
    expect(hasGate(hooksWith(null, { missing: 1 }), ['preToolUse'])).toBe(true)
  })
})
