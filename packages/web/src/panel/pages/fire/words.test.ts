import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { EventInfoSchema, PlannedSchema, SourceSchema } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { differingFirst, grouped, isAmong, mostHooked, profileWords, runWords } from './words.js'

const events = [
  create(EventInfoSchema, { name: 'told', gate: 'none', summary: 'Something was done' }),
  create(EventInfoSchema, { name: 'asked', gate: 'permission', summary: 'A command is about to run' }),
  create(EventInfoSchema, { name: 'new', gate: 'another', summary: '' }),
]
const planned = (hookId: string, fingerprint = 'f') => create(PlannedSchema, { hookId, fingerprint })

describe('fire, in words', () => {
  it('groups events by what a hook can do there, and finds them by any words', () => {
    expect(grouped(events, '').map(group => group.events.map(({ name }) => name))).toEqual([
      ['asked'],
      ['told', 'new'],
    ])
    expect(grouped(events, 'RUN command').flatMap(group => group.events.map(({ name }) => name))).toEqual([
      'asked',
    ])
    expect(grouped(events, 'nothing')).toEqual([])
  })
  it('begins with the event that has the most hooks', () => {
    const source = create(SourceSchema, { hooks: [{ event: 'told' }] })
    expect(mostHooked(events, [source]).name).toBe('told')
    expect(mostHooked(events, []).name).toBe('asked')
  })
  it('says what a press does', () => {
    expect(runWords(1, 1)).toBe('Run 1 hook')
    expect(runWords(3, 5)).toBe('Run 3 hooks in 5 versions')
    expect(runWords(0, 1)).toBe('Fire, no hook runs')
    expect(profileWords(['a', 'b', 'c'], ['a', 'b', 'c'])).toBe('all')
    expect(profileWords(['a'], ['a'])).toBe('a')
  })
  it('fires only what was shown, as it was shown', () => {
    expect(isAmong([planned('a')], [planned('a'), planned('b')])).toBe(true)
    expect(isAmong([planned('a', 'other')], [planned('a')])).toBe(false)
    expect(isAmong([planned('c')], [planned('a')])).toBe(false)
  })
  it('puts first what differs, and keeps the order otherwise', () => {
    const rows = [1, 2, 3, 4].map(at => ({ at, differs: at % 2 === 0 }))
    expect(differingFirst(rows).map(({ at }) => at)).toEqual([2, 4, 1, 3])
  })
})
