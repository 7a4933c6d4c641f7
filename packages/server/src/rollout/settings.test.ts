import { describe, expect, it } from 'vitest'
import { checked } from './settings.js'

const SETTINGS = {
  rings: [
    { name: 'canary', share: 0.1 },
    { name: 'all', share: 1 },
  ],
  soakMinutes: 60,
  failureLimit: 0.05,
  denialLimit: 0.2,
  releaseDays: 90,
  revertDepth: 5,
  records: 'managed',
  fourEyes: true,
} as const
const ring = (share: number, name = `r ${share * 1000}`.replace('.', '_')) => ({ name, share })

describe('settings of a rollout', () => {
  it.each([
    ['as they usually are', {}],
    ['one ring', { rings: [ring(1)] }],
    ['ten rings', { rings: Array.from({ length: 10 }, (_, index) => ring((index + 1) / 10)) }],
    ['a name of 40 letters', { rings: [ring(1, 'x'.repeat(40))] }],
    ['no time between rings', { soakMinutes: 0 }],
    ['thirty days between rings', { soakMinutes: 43_200 }],
    ['limits of 0', { failureLimit: 0, denialLimit: 0 }],
    ['limits of 1', { failureLimit: 1, denialLimit: 1 }],
    ['the shortest numbers', { releaseDays: 1, revertDepth: 1 }],
    ['the longest numbers', { releaseDays: 3650, revertDepth: 100 }],
    ['all records', { records: 'all' }],
  ])('may be %s', (_, changes) => {
    expect(checked({ ...SETTINGS, ...changes })).toEqual({ ...SETTINGS, ...changes })
  })

  it.each([
    ['no ring', { rings: [] }, '1 to 10 rings'],
    ['eleven rings', { rings: Array.from({ length: 11 }, (_, at) => ring((at + 1) / 11)) }, '1 to 10 rings'],
    ['two rings of one name', { rings: [ring(0.5, 'a'), ring(1, 'a')] }, 'same name'],
    ['a ring without a name', { rings: [ring(1, '')] }, 'is not a name'],
    ['a long name', { rings: [ring(1, 'x'.repeat(41))] }, 'is not a name'],
    ['a name with a tag', { rings: [ring(1, 'a<b>')] }, 'is not a name'],
    ['a name with a line end', { rings: [ring(1, 'a\nb')] }, 'is not a name'],
    ['a first ring of nobody', { rings: [ring(0), ring(1)] }, 'must be above 0'],
    ['a negative share', { rings: [ring(-0.1), ring(1)] }, 'must be above 0'],
    ['rings that do not grow', { rings: [ring(0.5, 'a'), ring(0.5, 'b'), ring(1)] }, 'must be above 0.5'],
    ['a share above 1', { rings: [ring(1.1)] }, 'at most 1'],
    ['a share that is no number', { rings: [ring(Number.NaN)] }, 'must be above 0'],
    ['a last ring of some', { rings: [ring(0.5)] }, 'The last ring must have the share 1'],
    ['negative minutes', { soakMinutes: -1 }, 'soak_minutes is -1'],
    ['too many minutes', { soakMinutes: 43_201 }, 'soak_minutes is 43201'],
    ['a negative failure limit', { failureLimit: -0.01 }, 'failure_limit'],
    ['a failure limit above 1', { failureLimit: 1.01 }, 'failure_limit'],
    ['a failure limit that is no number', { failureLimit: Number.NaN }, 'failure_limit'],
    ['a negative denial limit', { denialLimit: -0.01 }, 'denial_limit'],
    ['a denial limit above 1', { denialLimit: 1.01 }, 'denial_limit'],
    ['releases of no day', { releaseDays: 0 }, 'release_days is 0'],
    ['releases of too many days', { releaseDays: 3651 }, 'release_days is 3651'],
    ['no way back', { revertDepth: 0 }, 'revert_depth is 0'],
    ['too long a way back', { revertDepth: 101 }, 'revert_depth is 101'],
    ['other records', { records: 'none' }, 'records is "none"'],
  ])('may not have %s', (_, changes, words) => {
    expect(() => checked({ ...SETTINGS, ...changes })).toThrow(words)
  })
})
