import { describe, expect, it } from 'vitest'
import { rangeLabel, readRange } from './filters-range.js'

const now = Date.parse('2026-11-16T12:00:00Z')

describe('the time that a page looks at', () => {
  it('is the last 24 hours by default, and for an invalid text', () => {
    for (const range of [undefined, '', 'yesterday', '0h', '-3d', '99999d', '1e3h']) {
      expect(readRange({ range }, now)).toMatchObject({
        from: now - 86_400_000,
        to: undefined,
        label: 'Last 24 hours',
      })
    }
  })

  it('moves with the clock as long as it is relative', () => {
    expect(readRange({ range: '1h' }, now).from).toBe(now - 3_600_000)
    expect(readRange({ range: '7d' }, now + 5).from).toBe(now + 5 - 7 * 86_400_000)
    expect(readRange({ range: 'all' }, now)).toMatchObject({ from: undefined, to: undefined, kind: 'all' })
    expect(rangeLabel('1h')).toBe('Last hour')
  })

  it('is between two moments, in any order', () => {
    const range = { from: '2026-11-16T10:00:00Z', to: '2026-11-16T09:00:00Z' }
    expect(readRange({ range: '1h', ...range }, now)).toMatchObject({
      from: now - 3 * 3_600_000,
      to: now - 2 * 3_600_000,
      kind: 'between',
    })
  })

  it('leaves out a moment that is none', () => {
    expect(readRange({ from: 'soon', to: '2026-11-16T09:00:00Z' }, now)).toMatchObject({
      from: undefined,
      kind: 'between',
    })
    expect(readRange({ from: 'soon', to: 'later' }, now).kind).toBe('last')
  })
})
