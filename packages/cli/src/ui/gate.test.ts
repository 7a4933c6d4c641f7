// Rules of the gate that need no panel; tests/web/gate.test.ts asks a real one.

import { expect, it } from 'vitest'
import { openGate } from './gate.js'

it('has tokens, secrets, words and cookies that are long and never the same', () => {
  const values = [1, 1, 2].flatMap(port => {
    const gate = openGate(port)
    const [first, second] = [gate.token(), gate.token()]
    const [one, other] = [first, second].map(token => gate.enter({}, { token })!)
    const cookie = /^holdfast_panel_\d+=([^;]+);/.exec(one!.cookie)![1]!
    return [first, second, one!.secret, other!.secret, one!.again, cookie]
  })
  expect(values).toHaveLength(18)
  expect(new Set(values).size).toBe(values.length)
  for (const value of values) expect(value).toMatch(/^[\w-]{43}$/)
})

it('lets nobody in with the cookie, the word or the secret of another gate', () => {
  const [own, other] = [openGate(1), openGate(1)]
  const enter = (gate: typeof own) => gate.enter({}, { token: gate.token() })!
  const [mine, theirs] = [enter(own), enter(other)]
  const headers = (cookie: string, secret = '') => ({
    cookie: cookie.split(';')[0]!,
    'x-holdfast-panel': secret,
  })
  expect(own.enter(headers(mine.cookie), { again: mine.again })).not.toBeNull()
  expect(own.enter(headers(mine.cookie), { again: theirs.again })).toBeNull()
  expect(own.enter(headers(theirs.cookie), { again: mine.again })).toBeNull()
  expect(own.enter(headers(mine.cookie), {})).toBeNull()
  expect(own.enter(headers(mine.cookie), { token: other.token() })).toBeNull()
  // A wrong token is not made up for by what is right.
  expect(own.enter(headers(mine.cookie), { token: 'wrong', again: mine.again })).toBeNull()
  expect(own.isInside(headers(mine.cookie, mine.secret))).toBe(true)
  expect(own.isInside(headers(mine.cookie, theirs.secret))).toBe(false)
  expect(own.isInside(headers(theirs.cookie, mine.secret))).toBe(false)
})

it.each([
  ['GET', 'navigate', 'document', null],
  ['HEAD', 'navigate', 'document', 'This request comes from another site.'],
  ['POST', 'navigate', 'document', 'This request comes from another site.'],
  ['GET', 'navigate', 'iframe', 'This request comes from another site.'],
  ['GET', 'no-cors', 'document', 'This request comes from another site.'],
])('answers another site’s %s in the mode %s for a %s with %j', (method, mode, dest, expected) => {
  const headers = {
    host: 'localhost:1',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  }
  expect(openGate(1).refusal({ method, url: '/', headers })).toBe(expected)
})
