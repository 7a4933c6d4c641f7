import { describe, expect, it } from 'vitest'
import { EMPTY } from './form.js'
import { bothChanged, merged } from './merge-forms.js'

const base = { ...EMPTY, name: 'Guard', matcher: 'a', systems: ['Linux'] }

describe('two people, one draft', () => {
  it('takes what only one has changed', () => {
    const mine = { ...base, matcher: 'b' }
    const theirs = { ...base, timeout: '5', systems: [] }
    expect(bothChanged(base, mine, theirs)).toEqual([])
    expect(merged(base, mine, theirs, new Set())).toEqual({
      ...base,
      matcher: 'b',
      timeout: '5',
      systems: [],
    })
  })

  it('asks about fields that both have changed, and keeps mine until one is chosen', () => {
    const mine = { ...base, matcher: 'b', script: 'x' }
    const theirs = { ...base, matcher: 'c', script: 'x' }
    expect(bothChanged(base, mine, theirs)).toEqual(['matcher'])
    expect(merged(base, mine, theirs, new Set()).matcher).toBe('b')
    expect(merged(base, mine, theirs, new Set(['matcher'] as const)).matcher).toBe('c')
  })
})
