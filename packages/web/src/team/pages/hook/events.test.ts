import { EVENT_SPECS, EVENTS } from '@holdfast/hooks/protocol'
import { describe, expect, it } from 'vitest'
import { FIRST_EVENT, GROUPS, matching, rowOf, sampleFor, sampleOf } from './events.js'

describe('events of a form', () => {
  it('lists every event once', () => {
    const names = GROUPS.flatMap(({ names }) => names)
    expect([...names].sort()).toEqual(EVENT_SPECS.map(({ name }) => name).sort())
  })

  it('begins where commands are asked about', () => {
    expect(rowOf(FIRST_EVENT)).toMatchObject({ gate: 'permission', subject: { field: 'command' } })
    expect(sampleFor(FIRST_EVENT, 'ls')).toMatchObject({ command: 'ls' })
  })

  it('has a sample for each', () => {
    for (const { name } of EVENT_SPECS) expect(Object.keys(sampleOf(name)).length).toBeGreaterThan(2)
    expect(sampleOf('surprise')).toEqual({})
  })

  it('says which of the usual ones a matcher takes', () => {
    expect(matching(FIRST_EVENT, '--force')?.isUsed && matching(FIRST_EVENT, '--force')).toMatchObject({
      taken: ['git push --force origin main'],
    })
    expect(matching(FIRST_EVENT, '(')).toMatchObject({ taken: undefined })
    const without = EVENT_SPECS.find(({ name }) => 'none' in EVENTS[name].subject)
    if (without) expect(matching(without.name, 'x')).toMatchObject({ isUsed: false })
    expect(matching('surprise', 'x')).toBeUndefined()
  })
})
