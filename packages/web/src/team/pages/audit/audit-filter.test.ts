import { describe, expect, it } from 'vitest'
import { asList, listOf } from '../../../shell/search.js'
import { choicesOf, isNarrowed, toggled, wantedOf } from './audit-filter.js'

const NOW = Date.parse('2026-11-16T12:34:56Z')

describe('lists in the address', () => {
  it.each([[[]], [['a']], [['a', 'b']], [['./x.sh --only a,b', '100%', '%2C']]])('%o comes back', values => {
    expect(listOf(asList(values))).toEqual(values)
  })
})

describe('choices of a facet', () => {
  it.each([
    [undefined, 'deny', 'wanted', 'deny'],
    ['deny', 'ask', 'wanted', 'deny,ask'],
    ['deny,ask', 'deny', 'wanted', 'ask'],
    ['deny', 'deny', 'wanted', undefined],
    ['deny', 'deny', 'excluded', '!deny'],
    ['!deny', 'deny', 'excluded', undefined],
    ['!deny', 'deny', 'wanted', 'deny'],
    [undefined, '', 'wanted', '-'],
    ['-', '', 'excluded', '!-'],
  ] as const)('%s with %s toggled as %s is %s', (text, value, how, expected) => {
    expect(toggled(text, value, how)).toBe(expected)
  })

  it('become the values and the excluded values of the request', () => {
    const { asked } = wantedOf({ owner: 'ada@example.com,!-', hook: '!#7' }, NOW, 90)
    expect(asked).toMatchObject({
      owners: ['ada@example.com'],
      hooks: [],
      excluded: { owners: [''], hooks: ['#7'], verdicts: [] },
    })
    expect(choicesOf('!a%2Cb')).toEqual({ wanted: [], excluded: ['a,b'] })
  })
})

describe('what is asked of the server', () => {
  it('is the last day in whole hours, unless the address says otherwise', () => {
    expect(wantedOf({}, NOW, 90).asked).toMatchObject({
      from: '2026-11-15T12:00:00.000Z',
      to: '',
      release: 0,
    })
    expect(wantedOf({ range: '1h' }, NOW, 90).asked.from).toBe('2026-11-16T11:34:00.000Z')
    expect(wantedOf({ range: 'nonsense' }, NOW, 90).asked.from).toBe('2026-11-15T12:00:00.000Z')
  })

  it('all time is what is kept', () => {
    expect(wantedOf({ range: 'all' }, NOW, 30).asked.from).toBe('2026-10-17T12:00:00.000Z')
  })

  it('moments are taken as they are', () => {
    const { asked } = wantedOf({ from: '2026-11-16T10:11:12.345Z', to: '2026-11-16T11:00:00Z' }, NOW, 90)
    expect(asked).toMatchObject({ from: '2026-11-16T10:11:12.345Z', to: '2026-11-16T11:00:00.000Z' })
  })

  it('garbage in the address asks for nothing odd', () => {
    const { asked } = wantedOf({ release: '-1', q: `  ${'x'.repeat(500)}`, from: 'yesterday' }, NOW, 90)
    expect(asked.release).toBe(0)
    expect(asked.text).toHaveLength(200)
    expect(asked.from).toBe('2026-11-15T12:00:00.000Z')
  })

  it('the time alone narrows nothing', () => {
    expect(isNarrowed({ range: '1h', record: 'x' })).toBe(false)
    expect(isNarrowed({ release: '4' })).toBe(true)
  })
})
