import { expect, it } from 'vitest'
import { isAtLeast, mustRank, ROLES, type Role, toRole } from '../roles.js'

it('compares every role with every other one', () => {
  const rank = { auditor: 0, author: 1, admin: 2, owner: 3 }
  expect([...ROLES]).toEqual(Object.keys(rank))
  for (const mine of ROLES) {
    for (const wanted of ROLES) {
      const isEnough = rank[mine] >= rank[wanted]
      expect(isAtLeast(mine, wanted), `${mine} ${wanted}`).toBe(isEnough)
      if (isEnough) expect(() => mustRank(mine, wanted)).not.toThrow()
      else expect(() => mustRank(mine, wanted)).toThrow(`Only a member with the role ${wanted}`)
    }
  }
})

it.each(['', 'root', 'Owner', 'device', 'anybody', 'toString'] as unknown as Role[])(
  'gives nothing to the role "%s", and asks nothing of it',
  role => {
    for (const known of ROLES) {
      expect(isAtLeast(role, known)).toBe(false)
      expect(isAtLeast(known, role)).toBe(false)
    }
    expect(isAtLeast(role, role)).toBe(false)
    expect(() => toRole(role)).toThrow('is not known')
  },
)
