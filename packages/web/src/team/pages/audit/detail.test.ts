import { describe, expect, it } from 'vitest'
import { detailOf } from './detail.js'

const NAMES = new Map([
  ['hook 1', 'guard-push'],
  ['enrolment-key k2', 'for the fleet'],
])

describe('an admin action', () => {
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
    ['{"hooks":["1@3","7@1","odd"]}', [['hooks', 'guard-push revision 3, hook 7 revision 1, odd']]],
    [
      '{"changed":[{"name":"guard-push","revision":3}],"removed":["lint"]}',
      [
        ['changed', 'guard-push revision 3'],
        ['removed', 'lint'],
      ],
    ],
    ['{"ended":["0123456789abcdef01","k2"]}', [['ended', '01234567…, for the fleet']]],
  ])('its detail %s is shown as %j', (detailJson, rows) =>
    expect(detailOf({ detailJson, names: NAMES })).toEqual(rows),
  )
})
