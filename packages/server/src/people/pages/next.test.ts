import { expect, it } from 'vitest'
import { safePath, signInFor } from './next.js'

it.each([
  '/',
  '/devices',
  '/device?user_code=BCDF-GHJK',
  '/audit?from=2026-01-01T00:00:00.000Z&q=a%20b+c~d,e',
  `/${'a'.repeat(1999)}`,
])('leads to %s after signing in', path => {
  expect(safePath(path)).toBe(path)
})

it.each([
  null,
  '',
  'devices',
  '//evil.example',
  '/\\evil.example',
  '\\/evil.example',
  'https://evil.example',
  ' /devices',
  '/devices\n',
  '/a\tb',
  '/a#b',
  '/a\\b',
  '/a@b',
  '/<script>',
  '/"onclick=',
  `/${'a'.repeat(2000)}`,
])('leads to the first page instead of %j', path => {
  expect(safePath(path)).toBe('/')
})

it('asks to sign in, and names only a page of this server to come back to', () => {
  expect(signInFor('/devices?state=behind')).toBe('/sign-in?next=%2Fdevices%3Fstate%3Dbehind')
  expect(signInFor('/')).toBe('/sign-in')
  expect(signInFor('//evil.example')).toBe('/sign-in')
})
