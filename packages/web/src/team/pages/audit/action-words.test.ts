import { describe, expect, it } from 'vitest'
import { actionWords, detailOf } from './action-words.js'

describe('an admin action', () => {
  it('is said in words, also one that is not known', () => {
    expect(actionWords('member.invite')).toBe('invited')
    expect(actionWords('moon.landing')).toBe('moon landing')
  })

  it.each([
    ['{}', []],
    ['', []],
    ['not json', [['detail', 'not json']]],
    ['null', []],
    ['{"role":"author","note":""}', [['role', 'author']]],
    ['{"from":"","to":"build"}', [['changed', 'none → build']]],
    ['{"before":90,"after":30}', [['changed', '90 → 30']]],
    ['{"before":{"a":1,"b":2},"after":{"a":1,"b":3}}', [['b', '2 → 3']]],
    ['{"max_uses":3}', [['max uses', '3']]],
  ])('its detail %s is shown as %j', (json, rows) => expect(detailOf(json)).toEqual(rows))
})
