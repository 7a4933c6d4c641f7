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
    [0, 0, 'unchanged'],
    [5, 5, 'unchanged'],
    [5, 0, 'previously none'],
    [0, 5, 'previously 5'],
    [112, 100, '+12 %'],
    [88, 100, '−12 %'],
    [1001, 1000, 'unchanged'],
    [4000, 100, '40 times as many'],
  ])('%i after %i is "%s"', (now, before, words) => expect(change(now, before)).toBe(words))
})

describe('what needs somebody', () => {
  const calm = {
    overview: { now: { failedOpen: 0 } as never, silent: 0, deviceStates: [], expiring: [] },
    rollout: { killed: false, killedBecause: '', requests: [] },
    releases: [{ number: 9, state: 'done', haltedBecause: '' }],
    range: '7d',
  }

  it('is nothing when all is well, and while nothing is known', () => {
    expect(attention(calm)).toEqual([])
    expect(attention({ overview: undefined, rollout: undefined, releases: undefined, range: '7d' })).toEqual(
      [],
    )
  })

  it('comes with the worst first', () => {
    const expiring = [
      { what: 'release', name: 'release 9', message: 'Publish once.', daysLeft: 12 },
      { what: 'token', name: 'nightly', message: 'Make another.', daysLeft: 0 },
    ] as never
    const found = attention({
      ...calm,
      overview: {
        now: { failedOpen: 1 } as never,
        silent: 2,
        deviceStates: [{ name: 'attention', count: 1 } as never],
        expiring,
      },
      rollout: {
        killed: true,
        killedBecause: 'a bad day',
        emergency: { by: 'ada@example.com', at: '2026-11-16T12:00:00.000Z', reason: 'a bad day' } as never,
        requests: [
          { by: 'bob@example.com', method: 'RolloutService/RollBack', subject: 'release 3' },
        ] as never,
      },
      releases: [
        { number: 10, state: 'halted', haltedBecause: 'too many failures' },
        { number: 9, state: 'done', haltedBecause: '' },
      ],
    })
    expect(found.map(({ words }) => words)).toEqual([
      'The kill switch is on',
      'ada@example.com switched off all hooks without a second admin',
      'bob@example.com requests a second admin',
      'Release 10 is halted',
      '1 run failed open',
      '1 device needs attention',
      '2 devices are silent',
      'Release 9 expires',
      'Your token “nightly” expires',
    ])
    expect(found[4]).toMatchObject({
      link: { to: '/audit', search: { verdict: 'failed_open', range: '7d' } },
    })
    expect(found[5]).toMatchObject({ link: { to: '/devices', search: { state: 'attention' } } })
    expect(found[8]).toMatchObject({ link: { params: { tab: 'tokens' } }, tone: 'bad' })
  })

  it('a release that waits for its signature', () => {
    const releases = [{ number: 11, state: 'unsigned', haltedBecause: '' }]
    expect(attention({ ...calm, releases })).toMatchObject([{ words: 'Release 11 is unsigned' }])
  })
})
