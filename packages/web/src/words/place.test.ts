import { expect, it } from 'vitest'
import { placeOf } from './place.js'

it('a place is called from the folder of the workspace on, and in full elsewhere', () => {
  expect(placeOf('/a/b/hooks.json', 4, ['/a'])).toBe('b/hooks.json:4')
  expect(placeOf('/ab/hooks.json', 0, ['/a'])).toBe('/ab/hooks.json')
  expect(placeOf('C:\\a\\b.json', 2, ['C:\\a'])).toBe('b.json:2')
})
