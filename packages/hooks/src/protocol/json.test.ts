import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, writeJson } from './json.js'

describe('integers that JavaScript would round', () => {
  it.each([
    '{"a":{"id":12345678901234567890}}',
    '{"a":{"id":-12345678901234567890,"b":[9007199254740993,1]}}',
    '{"a":["12345678901234567890",12345678901234567890,"\\\\",12345678901234567891]}',
    '{"a":{"\\"12345678901234567890":"\\\\\\"","x":98765432109876543210}}',
    '{"a":{"id":1234567890123456}}',
    '{"a":{"n":0.5,"s":"12345678901234567890"}}',
  ])('keep their digits: %s', text => {
    expect(writeJson(parseJson(text))).toBe(text)
  })

  it('are not fractions and powers of ten', () => {
    const text = '{"a":{"f":1234567890123456789.5,"g":0.12345678901234567890,"e":1e1234567890123456}}'
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  it('are numbers to code that does not know of them', () => {
    const { a } = parseJson('{"a":{"id":12345678901234567890}}') as { a: { id: number } }
    expect(a.id > 1).toBe(true)
    expect(`${a.id}`).toBe('12345678901234567000')
    expect(JSON.stringify(a)).toBe('{"id":12345678901234567000}')
  })

  it('change nothing else', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.bigInt(), (value, id) => {
        const text = `{"value":${JSON.stringify(value)},"nested":{"id":${id}}}`
        expect(writeJson(parseJson(text))).toBe(text)
      }),
    )
  })

  it('need a valid text', () => {
    expect(() => parseJson('{"a":{"id":12345678901234567890}')).toThrow(SyntaxError)
  })
})
