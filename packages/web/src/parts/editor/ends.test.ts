import { describe, expect, it } from 'vitest'
import { asBefore, shown } from './ends.js'

const untouched = [
  ['unix', '{\n  "a": 1\n}\n'],
  ['windows', '{\r\n  "a": 1\r\n}\r\n'],
  ['with a mark', '\ufeff{\r\n\t"a": 1\r\n}'],
  ['no final line end', '{\n}'],
  ['old', 'a\rb\r'],
  ['mixed', 'a\r\nb\nc\r\nd\ne\r'],
  ['a mark alone', '\ufeff'],
  ['nothing', ''],
  ['one end', '\r\n'],
] as const

describe('line ends', () => {
  it.each(untouched)('%s: what was not touched stays byte for byte', (_, text) => {
    expect(asBefore(text, shown(text))).toBe(text)
  })

  it('a new line ends as the others do', () => {
    expect(asBefore('a\r\nb\r\n', 'a\nnew\nb\n')).toBe('a\r\nnew\r\nb\r\n')
    expect(asBefore('\ufeffa\r\nb', 'a\nb\nc')).toBe('\ufeffa\r\nb\r\nc')
  })

  it('in a mixed file only the touched lines change', () => {
    const before = 'a\r\nb\nc\r\nd\ne\r\nf\r\n'
    expect(asBefore(before, 'a\nb\nC\nd\ne\nf\n')).toBe('a\r\nb\nC\r\nd\ne\r\nf\r\n')
    expect(asBefore(before, 'a\nb\nc\nnew\nd\ne\nf\n')).toBe('a\r\nb\nc\r\nnew\nd\ne\r\nf\r\n')
    expect(asBefore(before, 'a\nc\nd\nf\n')).toBe('a\r\nc\r\nd\nf\r\n')
  })

  it('a file that was empty gets the usual end', () => {
    expect(asBefore('', '{\n}\n')).toBe('{\n}\n')
  })

  it('a mark that is typed in the middle is not the mark of the file', () => {
    expect(shown('a\ufeff')).toBe('a\ufeff')
  })

  it('holds for whatever a person does', () => {
    let seed = 7
    const next = (below: number) => {
      seed = (seed * 48271) % 2147483647
      return seed % below
    }
    for (let round = 0; round < 300; round++) {
      const ends = ['\n', '\r\n', '\r']
      const before = Array.from({ length: next(8) }, () => `${'xyz'[next(3)]}${ends[next(3)]}`).join('')
      const lines = shown(before).split('\n')
      lines.splice(next(lines.length + 1), next(2), 'typed')
      const edited = lines.join('\n')
      expect(shown(asBefore(before, edited))).toBe(edited)
    }
  })
})
