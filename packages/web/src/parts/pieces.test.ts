import fc from 'fast-check'
import { expect, it } from 'vitest'
import { piecesOf } from './pieces.js'

it.each([
  ['', []],
  ['abc', ['abc']],
  ['a\nb\nc\nd', ['a\nb\n', 'c\nd']],
  ['abcdefgh\ni', ['abcdefgh\n', 'i']],
  ['a\nbcdefgh', ['a\n', 'bcdefgh']],
  ['abcdefgh', ['abcdefgh']],
])('pieces of %j end with a line', (text, pieces) => expect(piecesOf(text, 4)).toEqual(pieces))

it('pieces are the whole text, and break no line', () => {
  const texts = fc.array(fc.constantFrom('a', '\n', 'bc', '\u{1f600}'), { maxLength: 60 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (words, length) => {
      const text = words.join('')
      const pieces = piecesOf(text, length)
      expect(pieces.join('')).toBe(text)
      expect(pieces.slice(0, -1).every(piece => piece.endsWith('\n'))).toBe(true)
      expect(pieces).not.toContain('')
    }),
  )
})
