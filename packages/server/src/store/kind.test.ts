import { describe, expect, it } from 'vitest'
import { kindOf } from './kind.js'
import { patternOf } from './like.js'
import { openStore } from './open.js'

describe('the name of a database', () => {
  it.each([
    ['postgres://ann@db/team', 'postgres'],
    ['postgresql://ann@db/team', 'postgres'],
    ['team.db', 'sqlite'],
    ['/var/lib/postgres://x', 'sqlite'],
    ['postgres:team', 'sqlite'],
  ])('%s means %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind)
  })

  it.each(['mysql', 'POSTGRES', 'file', 'https'])(
    'that begins with %s:// is refused, without its secrets',
    async kind => {
      const opened = openStore({ database: `${kind}://ann:hunter2@db/team`, now: () => 0 })
      await expect(opened).rejects.toThrow(`The database "${kind}://…" is not known.`)
      await expect(opened).rejects.not.toThrow('hunter2')
    },
  )
})

it('looks for typed text literally', () => {
  expect(patternOf('100%_\\')).toBe('%100\\%\\_\\\\%')
})
