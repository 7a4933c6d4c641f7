import { describe, expect, it } from 'vitest'
import { attention } from './attention.js'
import { change, since, spanOf } from './since.js'

const NOW = Date.parse('2026-11-16T12:34:56Z')

describe('the time that is looked at', () => {
  it('begins at a whole hour', () => {
    expect(new Date(since(spanOf('24h'), NOW)).toISOString()).toBe('2026-11-15T12:00:00.000Z')
    expect(spanOf('nonsense').name).toBe('7d')
    expect(spanOf(undefined).name).toBe('7d')
  })
})

describe('the change against the time before', () => {
  it.each([
    [0, 0, 'as before'],
    [5, 5, 'as before'],
    [5, 0, 'none before'],
    [0, 5, 'none, 5 before'],
    [112, 100, '+12 %'],
    [88, 100, '−12 %'],
    [1001, 1000, 'as before'],
    [4000, 100, '40 times as many'],
  ])('%i after %i is "%s"', (now, before, words) => expect(change(now, before)).toBe(words))
})

describe('what needs somebody', () => {
  const calm = {
    overview: { now: { failedOpen: 0 } as never, silent: 0, devices: 4 },
    rollout: { killed: false, killedBecause: '' },
    releases: [{ number: 9, state: 'done', haltedBecause: '', expiresAt: '2027-11-16T00:00:00Z' }],
    range: '7d',
    now: NOW,
  }

  it('is nothing when all is well, and while nothing is known', () => {
    expect(attention(calm)).toEqual([])
    expect(
      attention({ overview: undefined, rollout: undefined, releases: undefined, range: '7d', now: NOW }),
    ).toEqual([])
  })

  it('comes with the worst first', () => {
    const found = attention({
      ...calm,
      overview: { now: { failedOpen: 1 } as never, silent: 2, devices: 4 },
      rollout: { killed: true, killedBecause: 'a bad day' },
      releases: [
        {
          number: 10,
          state: 'halted',
          haltedBecause: 'too many failures',
          expiresAt: '2027-11-16T00:00:00Z',
        },
        { number: 9, state: 'done', haltedBecause: '', expiresAt: '2026-11-20T00:00:00Z' },
      ],
    })
    expect(found.map(({ words }) => words)).toEqual([
      'The kill switch is on',
      'Release 10 is halted',
      '1 run failed open',
      '2 devices are silent',
      'Release 9 ends soon',
    ])
    expect(found[2]).toMatchObject({ to: '/audit', search: { verdict: 'failed_open', range: '7d' } })
  })

  it('says when a release is over, and that one waits for its signature', () => {
    const [waits, over] = attention({
      ...calm,
      releases: [
        { number: 11, state: 'unsigned', haltedBecause: '', expiresAt: '2027-11-16T00:00:00Z' },
        { number: 9, state: 'done', haltedBecause: '', expiresAt: '2026-11-16T00:00:00Z' },
      ],
    })
    expect(waits!.words).toBe('Release 11 waits to be signed')
    expect(over).toMatchObject({ words: 'Release 9 is over', tone: 'bad' })
  })
})
