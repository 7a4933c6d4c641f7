import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openHub } from './hub.js'
import { type Listener, openWatching, type Said, watch } from './watch.js'

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
  const watching = openWatching({ hub })
  const all = Array.from({ length: 400 }, someone)
  for (const one of all) watching.join(one)
  expect(all[0]!.heard).toEqual([{ epoch: 1, spreadMs: 5 }])
  hub.changed('releases')
  hub.changed('devices')
  expect(all.map(({ heard }) => heard.at(-1))).toEqual(all.map(() => ({ epoch: 2, spreadMs: 2000 })))
  // What thousands hear at once is one object, to be written once.
  expect(new Set(all.map(({ heard }) => heard.at(-1))).size).toBe(1)
  vi.advanceTimersByTime(19_000)
  for (const { heard } of all) expect(heard).toHaveLength(3)
  for (const one of all) watching.leave(one)
  expect(watching.connected()).toBe(0)
  hub.changed('releases')
  vi.advanceTimersByTime(60_000)
  for (const { heard } of all) expect(heard).toHaveLength(3)
  watching.close()
  expect(all[0]!.ended).toBe(0)
})

it('a stream ends after half an hour, give or take, and all of them with the server', () => {
  const watching = openWatching({ hub: openHub() })
  const [old, young] = [someone(), someone()]
  watching.join(old)
  vi.advanceTimersByTime(23 * 60_000)
  expect(old.ended).toBe(0)
  watching.join(young)
  vi.advanceTimersByTime(14 * 60_000)
  expect([old.ended, young.ended, watching.connected()]).toEqual([1, 0, 1])
  watching.close()
  expect([old.ended, young.ended, watching.connected()]).toEqual([1, 1, 0])
})

it('who reads slowly hears the newest once, and leaves when cut off', async () => {
  const hub = openHub()
  const watching = openWatching({ hub })
  const cut = new AbortController()
  const messages = watch(watching, cut.signal)
  expect((await messages.next()).value).toMatchObject({ epoch: 1 })
  for (let count = 0; count < 5; count++) hub.changed('releases')
  expect((await messages.next()).value).toMatchObject({ epoch: 6 })
  const next = messages.next()
  cut.abort()
  expect(await next).toMatchObject({ done: true })
  expect(watching.connected()).toBe(0)
  watching.close()
})
