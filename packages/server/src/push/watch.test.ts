import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openHub } from './hub.js'
import { type Listener, openWatching, type Said, watch } from './watch.js'

/** Everybody's token stays good. */
const all = async (ids: readonly string[]) => new Set(ids)
const bearer = (tokenId = 't') => ({ tokenId, asOf: 1 })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function someone(): Listener & { heard: Said[]; ended: number } {
  const self = {
    heard: [] as Said[],
    ended: 0,
    say: (said: Said) => void self.heard.push(said),
    end: () => void self.ended++,
  }
  return self
}

it('everybody hears at once, then each change and a heartbeat, and nothing after leaving', () => {
  const hub = openHub()
  const watching = openWatching({ hub }, all)
  const crowd = Array.from({ length: 400 }, someone)
  for (const [index, one] of crowd.entries()) watching.join(one, bearer(`t${index}`))
  expect(crowd[0]!.heard).toEqual([{ epoch: 1, spreadMs: 5 }])
  hub.changed('releases')
  hub.changed('devices')
  expect(crowd.map(({ heard }) => heard.at(-1))).toEqual(crowd.map(() => ({ epoch: 2, spreadMs: 2000 })))
  // What thousands hear at once is one object, to be written once.
  expect(new Set(crowd.map(({ heard }) => heard.at(-1))).size).toBe(1)
  vi.advanceTimersByTime(19_000)
  for (const { heard } of crowd) expect(heard).toHaveLength(3)
  for (const one of crowd) watching.leave(one)
  expect(watching.connected()).toBe(0)
  hub.changed('releases')
  vi.advanceTimersByTime(60_000)
  for (const { heard } of crowd) expect(heard).toHaveLength(3)
  watching.close()
  expect(crowd[0]!.ended).toBe(0)
})

it('a stream ends after half an hour, give or take, and all of them with the server', () => {
  const watching = openWatching({ hub: openHub() }, all)
  const [old, young] = [someone(), someone()]
  watching.join(old, bearer('old'))
  vi.advanceTimersByTime(23 * 60_000)
  expect(old.ended).toBe(0)
  watching.join(young, bearer('young'))
  vi.advanceTimersByTime(14 * 60_000)
  expect([old.ended, young.ended, watching.connected()]).toEqual([1, 0, 1])
  watching.close()
  expect([old.ended, young.ended, watching.connected()]).toEqual([1, 1, 0])
})

it('who reads slowly hears the newest once, and leaves when cut off', async () => {
  const hub = openHub()
  const watching = openWatching({ hub }, all)
  const cut = new AbortController()
  const messages = watch(watching, bearer(), cut.signal)
  expect((await messages.next()).value).toMatchObject({ epoch: 1 })
  for (let count = 0; count < 5; count++) hub.changed('releases')
  expect((await messages.next()).value).toMatchObject({ epoch: 6 })
  const next = messages.next()
  cut.abort()
  expect(await next).toMatchObject({ done: true })
  expect(watching.connected()).toBe(0)
  watching.close()
})

it('a token that is no longer good ends its streams, as soon as the database says so', async () => {
  const hub = openHub()
  let good: ReadonlySet<string> | null = new Set(['t1', 't2'])
  const watching = openWatching({ hub }, async () => {
    if (!good) throw new Error('the database is away')
    return good
  })
  const [one, again, other] = [someone(), someone(), someone()]
  watching.join(one, bearer('t1'))
  watching.join(again, bearer('t1'))
  watching.join(other, bearer('t2'))
  const ended = () => [one, again, other].map(({ ended }) => ended)
  hub.changed('tokens')
  await vi.advanceTimersByTimeAsync(0)
  expect(ended()).toEqual([0, 0, 0])
  good = null
  hub.changed('tokens')
  await vi.advanceTimersByTimeAsync(1000)
  expect(ended()).toEqual([0, 0, 0])
  good = new Set(['t2'])
  await vi.advanceTimersByTimeAsync(1000)
  expect(ended()).toEqual([1, 1, 0])
  // By the clock alone, and nobody said a word.
  good = new Set()
  await vi.advanceTimersByTimeAsync(62_000)
  expect(ended()).toEqual([1, 1, 1])
  // Who asked before the last change is looked at, too.
  const late = someone()
  watching.join(late, bearer('t1'))
  await vi.advanceTimersByTimeAsync(0)
  expect([late.ended, watching.connected()]).toEqual([1, 0])
  watching.close()
})

it('of one device so many listen, and the newest ones', () => {
  const watching = openWatching({ hub: openHub() }, all)
  const crowd = Array.from({ length: 40 }, someone)
  for (const one of crowd) watching.join(one, bearer('t1'))
  watching.join(someone(), bearer('t2'))
  expect(watching.connected()).toBe(17)
  expect(crowd.map(({ ended }) => ended)).toEqual([...Array(24).fill(1), ...Array(16).fill(0)])
  watching.close()
})
