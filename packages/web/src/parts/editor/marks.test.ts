import { describe, expect, it } from 'vitest'
import { place } from './marks.js'

const TEXT = '{\n  "hooks": {\n    "stop": [{ "comand": "x" }]\n  }\n}\n'
const at = (mark: { line?: number; column?: number; path?: string }) => {
  const { from, to } = place(TEXT, [{ severity: 'error', message: '', ...mark }])[0]!
  return TEXT.slice(from, to)
}

describe('where a problem is', () => {
  it('by line and column: the word there', () => {
    expect(at({ line: 3, column: 16 })).toBe('"comand"')
    expect(at({ line: 2, column: 3 })).toBe('"hooks"')
  })
  it('by line alone: the whole of it', () => {
    expect(at({ line: 2 })).toBe('"hooks": {')
  })
  it('by path, with or without its beginning', () => {
    expect(at({ path: 'hooks.stop[0].comand' })).toBe('"x"')
    expect(at({ path: 'stop[0].comand' })).toBe('"x"')
  })
  it('what is nowhere stays inside the text', () => {
    for (const mark of [{ line: 99, column: 99 }, { line: 3, column: 999 }, { path: 'no.such[7]' }, {}])
      expect(() => at(mark)).not.toThrow()
    expect(place('', [{ line: 4, column: 2, severity: 'error', message: '' }])).toMatchObject([
      { from: 0, to: 0 },
    ])
  })
})
