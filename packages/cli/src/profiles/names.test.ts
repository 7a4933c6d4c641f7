import { describe, expect, it } from 'vitest'
import { IN_ORDER, profilesOf, rangeOf } from './names.js'

describe('versions as a list', () => {
  it('takes all, and names with commas, each once and in the order given', () => {
    expect(profilesOf('all')).toEqual(IN_ORDER)
    expect(IN_ORDER.at(-1)).toBe('holdfast')
    expect(profilesOf('cursor-3, cursor-2.3,cursor-3,')).toEqual(['cursor-3', 'cursor-2.3'])
  })

  it('says what is wrong with others', () => {
    expect(() => profilesOf(',')).toThrow('is not a profile')
    expect(() => profilesOf('cursor-2.3,cursor-2.5')).toThrow('There is no profile "cursor-2.5".')
  })
})

describe('versions as a range', () => {
  it.each([
    [['cursor-1.7'], '1.7'],
    [['cursor-1.7', 'cursor-2.1'], '1.7 and 2.1'],
    [['cursor-2.3', 'cursor-1.7', 'cursor-2.1'], '1.7 to 2.3'],
    [['cursor-1.7', 'cursor-2.3'], '1.7 and 2.3'],
    [['cursor-1.7', 'cursor-2.3', 'cursor-2.4', 'cursor-3'], '1.7 and 2.3 to 3'],
    [['cursor-3', 'holdfast'], '3 and holdfast'],
    [['cursor-2.3', 'cursor-2.4', 'cursor-3', 'holdfast'], '2.3 to 3 and holdfast'],
    [['cursor-1.7', 'cursor-2.3', 'cursor-3'], '1.7, 2.3 and 3'],
    [IN_ORDER, 'every version'],
    [[], ''],
  ] as const)('%j', (names, range) => expect(rangeOf(names)).toBe(range))
})
