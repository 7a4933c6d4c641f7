import { expect, it } from 'vitest'
import { difference } from './compare.js'

it('accepts placeholders, other gaps, and a line that a long duration wrapped', () => {
  expect(difference(['  a   answered in 17 ms', 'b'], ['  a answered in [MS]', 'b'])).toBeUndefined()
  expect(difference(['  a', '      answered in 1.2 s', 'b'], ['  a answered in [MS]', 'b'])).toBeUndefined()
})

it('names the first line that differs', () => {
  expect(difference(['a', 'x'], ['a', 'b'])).toBe('expected: b\n  actual: x')
  expect(difference(['a'], ['a', 'b'])).toBe('missing: b')
  expect(difference(['a', 'b'], ['a'])).toBe('not expected: b')
  expect(difference(['  a', '  denied in 5 ms'], ['  a allowed in [MS]'])).toContain('expected')
  expect(difference(['a', 'b'], ['a b'])).toContain('expected')
})
