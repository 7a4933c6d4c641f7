import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstOf, itemsOf, membersOf, textOf, withItem, withKeys, withTexts } from './json-text.js'

/** JSON text with spaces wherever they are allowed, so that positions are unusual. */
const spaced = (value: unknown, space: string): string => {
  if (Array.isArray(value))
    return `[${space}${value.map(one => spaced(one, space)).join(`${space},${space}`)}${space}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}${space}:${space}${spaced(one, space)}`,
  )
  return `{${space}${members.join(`${space},${space}`)}${space}}`
}
const space = fc.constantFrom('', ' ', '\n\t', '\r\n  ')
const object = fc.dictionary(fc.string(), fc.jsonValue())
const keep = <T>(value: T): T => JSON.parse(JSON.stringify(value))

describe('places', () => {
  it('are those of the members', () => {
    fc.assert(
      fc.property(object, space, (value, gap) => {
        const text = `${gap}${spaced(value, gap)}${gap}`
        const members = membersOf(text, firstOf(text))
        const read = members.map(member => [member.key, JSON.parse(textOf(text, member))])
        expect(read).toEqual(Object.entries(keep(value)))
      }),
    )
  })

  it('are those of the items', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), space, (value, gap) => {
        const text = spaced(value, gap)
        expect(itemsOf(text, 0).map(place => JSON.parse(textOf(text, place)))).toEqual(keep(value))
      }),
    )
  })
})

describe('changed text', () => {
  it('means the object with the keys set', () => {
    fc.assert(
      fc.property(object, object, space, (value, change, gap) => {
        const text = withKeys(spaced(value, gap), change)
        expect(JSON.parse(text)).toEqual(keep({ ...value, ...change }))
      }),
    )
  })

  it('is the same text when nothing is set', () => {
    fc.assert(
      fc.property(object, space, (value, gap) => withKeys(spaced(value, gap), {}) === spaced(value, gap)),
    )
  })

  it('means the array with one more item', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), space, (value, gap) => {
        expect(JSON.parse(withItem(spaced(value, gap), '"more"'))).toEqual(keep([...value, 'more']))
      }),
    )
  })

  it('keeps numbers as they are written, and sets a duplicate key twice', () => {
    const text = '{ "a": 1.10, "b": 12345678901234567890, "c": 1, "c": 2 }'
    expect(withTexts(text, [['c', '3.0']])).toBe(
      '{ "a": 1.10, "b": 12345678901234567890, "c": 3.0, "c": 3.0 }',
    )
  })

  it('knows a key that objects have by birth', () => {
    expect(withTexts('{"__proto__":1}', [['__proto__', '2']])).toBe('{"__proto__":2}')
    expect(JSON.parse(withKeys('{}', JSON.parse('{"__proto__":{"a":1}}')))).toEqual(
      JSON.parse('{"__proto__":{"a":1}}'),
    )
  })
})
