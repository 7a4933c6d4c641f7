import fc from 'fast-check'
import { type ParseError, parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../../tests/any-text.js'
import { randomRuns } from '../../../../tests/scope.js'
import type { Json } from '../config/json.js'
import { parseJson } from '../config/json.js'

const toValue = (node: Json): unknown => {
  if (node.kind === 'value') return node.value
  if (node.kind === 'array') return node.items.map(toValue)
  const object: Record<string, unknown> = {}
  for (const { key, value } of node.members) {
    Object.defineProperty(object, key, { value: toValue(value), enumerable: true, configurable: true })
  }
  return object
}
const read = (text: string) => {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return toValue(parsed.root)
}

describe('parse', () => {
  test('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(read(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: randomRuns(300) },
    )
  })

  test('takes and refuses what the well-known parser takes and refuses', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"b\\n"',
        '"\\u0041"',
        '1',
        '-0.5e3',
        'true',
        'null',
        ' ',
        '\n',
      ],
      ...[
        '// c\n',
        '/* c */',
        '{"a":1}',
        '[1,2]',
        '"',
        '\\',
        '01',
        '1.',
        '.5',
        '+1',
        'nul',
        "'a'",
        '/',
        '\t',
        '\u0001',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('')
        const errors: ParseError[] = []
        const expected = parse(text, errors, { allowTrailingComma: true })
        const parsed = parseJson(text)
        expect([text, parsed.ok]).toEqual([text, errors.length === 0])
        if (parsed.ok) expect(toValue(parsed.root)).toEqual(expected)
      }),
      { numRuns: randomRuns(3000) },
    )
  })

  test('places, whatever ends a line', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const parsed = parseJson(['{', '  "a": [', '    1,', '    "b" ]', '}'].join(end))
      if (!parsed.ok || parsed.root.kind !== 'object') throw new Error('not parsed')
      const [member] = parsed.root.members
      expect(parsed.root.place).toEqual({ line: 1, column: 1 })
      expect(member?.place).toEqual({ line: 2, column: 3 })
      expect(member?.value.place).toEqual({ line: 2, column: 8 })
      const items = member?.value.kind === 'array' ? member.value.items : []
      expect(items.map(item => item.place)).toEqual([
        { line: 3, column: 5 },
        { line: 4, column: 5 },
      ])
    }
  })

  test('duplicate keys both stay, and __proto__ is a key', () => {
    const parsed = parseJson('{"a":1,"a":2,"__proto__":3}')
    if (!parsed.ok || parsed.root.kind !== 'object') throw new Error('not parsed')
    expect(parsed.root.members.map(({ key, value }) => [key, value.kind === 'value' && value.value])).toEqual(
      [
        ['a', 1],
        ['a', 2],
        ['__proto__', 3],
      ],
    )
  })

  test('trailing commas are noted', () => {
    const parsed = parseJson('[1, {"a": 2 , } ,]')
    expect(parsed).toMatchObject({ ok: true, trailingCommas: [{ column: 13 }, { column: 17 }] })
    for (const text of ['[,]', '{,}', '[1,,]', ',']) expect(parseJson(text).ok).toBe(false)
  })

  test.each([
    ['{"a" 1}', 6, 'colon'],
    ['{"a": }', 7, 'value'],
    ['{a: 1}', 2, 'key'],
    ['[1 2]', 4, 'comma'],
    ['[1}', 3, 'bracket'],
    ['{"a": 1]', 8, 'brace'],
    ['[1', 3, 'bracket'],
    ['["a\\x"]', 2, 'escape'],
    ['["a\tb"]', 4, 'control'],
    ['[tru]', 2, 'double quotes'],
    ['[1] x', 5, 'after the end'],
    ['[1 /* x', 4, 'comment'],
  ])('%s', (text, column, message) => {
    expect(parseJson(text)).toEqual({
      ok: false,
      place: { line: 1, column },
      message: expect.stringContaining(message),
    })
  })

  test('long runs of anything', () => {
    const many = 4 * 1024 * 1024
    for (const text of [' ', '1', '"', '[', '/', '// ', '\n', '-', '\\', 'a']) {
      expect(parseJson(text.repeat(many / text.length)).ok).toBe(text === '1')
    }
    expect(parseJson(`"${'\\n'.repeat(many / 2)}"`).ok).toBe(true)
    expect(parseJson(`[${'1,'.repeat(24_000)}1]`).ok).toBe(true)
  })

  test('any text is read or refused, with a place in it', () => {
    fc.assert(
      fc.property(anyText(), text => {
        const parsed = parseJson(text)
        if (!parsed.ok) expect(parsed.place.line).toBeLessThanOrEqual(text.split(/\r\n|\n|\r/).length)
      }),
    )
  })
})
