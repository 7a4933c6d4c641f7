import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { leave, type SyncResult, type Watching, type WatchOptions, watchTeam } from './index.js'
import { cleanUp, freshDevice, publish } from './testing/device.js'
import { manualTime, until } from './testing/time.js'

const watching: Watching[] = []
afterEach(async () => {
  await Promise.all(watching.splice(0).map(one => one.stop()))
})
cleanUp()

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

async function freshWatch(options: WatchOptions = { atOnce: true }, random = () => 0.5) {
  const device = await freshDevice()
  const time = manualTime()
  const around = { ...device.around, now: time.now, sleep: time.sleep, random }
  const results: SyncResult[] = []
  const open = () => {
    const one = watchTeam(around, 'acme', { ...options, onSync: result => results.push(result) })
    watching.push(one)
    return one
  }
  const { server } = device
  const watcher = () => until(() => [...server.watchers][0])
  const asked = () => server.calls.filter(call => call.startsWith('GetTeamHooks')).length
  return { ...device, around, time, results, open, watcher, asked }
}

describe('the background refresh', () => {
  it('begins at some time in the first minute', async () => {
    const { open, time, results, server } = await freshWatch({})
    publish(server, 1)
    open()
    expect(await time.pass(20 * SECOND, 40 * SECOND)).toBe(30 * SECOND)
    await until(() => results.length === 1)
    expect(results[0]).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
  })

  it('hears of a change at once, and asks after a part of the spread', async () => {
    const { open, time, results, server, watcher } = await freshWatch()
    publish(server, 1)
    open()
    await until(() => results.length === 1)
    const stream = await watcher()
    stream.send(7)
    await until(() => results.length === 2)
    publish(server, 2)
    stream.send(8, 20 * SECOND)
    expect(await time.pass(9 * SECOND, 11 * SECOND)).toBe(10 * SECOND)
    await until(() => results.length === 3)
    expect(results[2]).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
  })

  it('does nothing when the server only says that it lives', async () => {
    const { open, results, watcher, asked } = await freshWatch()
    open()
    const stream = await watcher()
    stream.send(7)
    await until(() => results.length === 2)
    for (let count = 0; count < 20; count++) stream.send(7)
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(asked()).toBe(2)
  })

  it('asks every half hour all the same', async () => {
    const { open, time, results } = await freshWatch()
    open()
    for (let count = 1; count < 4; count++) {
      await until(() => results.length === count)
      expect(await time.pass(20 * MINUTE, 40 * MINUTE)).toBe(30 * MINUTE)
    }
  })

  it('a lost stream is opened again, later than others may think, and what was missed is asked for', async () => {
    const { open, time, results, server, watcher } = await freshWatch()
    open()
    const stream = await watcher()
    stream.send(7)
    await until(() => results.length === 2)
    publish(server, 1)
    stream.end()
    expect(await time.pass(SECOND, 30 * SECOND)).toBe(15 * SECOND)
    const next = await watcher()
    next.send(8)
    await until(() => results.length === 3)
    expect(results[2]).toMatchObject({ kind: 'updated' })
  })

  it('a stream that has fallen silent is given up', async () => {
    const { open, time, server, watcher } = await freshWatch()
    open()
    const stream = await watcher()
    stream.send(7)
    await time.pass(45 * SECOND, 45 * SECOND)
    await until(() => server.watchers.size === 0)
    await time.pass(SECOND, 30 * SECOND)
    expect(await watcher()).not.toBe(stream)
  })

  it('a server that is away is asked less and less often, and as it says', async () => {
    const { open, time, server, results, calls } = { ...(await freshWatch()), calls: [] as string[] }
    server.misbehave = ({ url }, response) => {
      if (!url?.endsWith('/Watch')) return false
      calls.push(url)
      const headers: Record<string, string> = calls.length === 4 ? { 'retry-after': '77' } : {}
      response.writeHead(503, headers).end()
      return true
    }
    open()
    await until(() => results.length === 1)
    expect(await time.pass(999, 1001)).toBe(1000)
    expect(await time.pass(1999, 2001)).toBe(2000)
    expect(await time.pass(3999, 4001)).toBe(4000)
    expect(await time.pass(77 * SECOND, 77 * SECOND)).toBe(77 * SECOND)
    await until(() => calls.length === 5)
  })

  it('is not asked before the time that it named, whatever its stream says', async () => {
    const { open, time, server, results, watcher, asked } = await freshWatch()
    open()
    const stream = await watcher()
    stream.send(7)
    await until(() => results.length === 2)
    server.misbehave = ({ url }, response) => {
      if (!url?.includes('/GetTeamHooks')) return false
      response.writeHead(429, { 'retry-after': '40' }).end()
      return true
    }
    stream.send(8)
    await until(() => results.length === 3)
    expect(results[2]).toMatchObject({ kind: 'failed', waitMs: 40 * SECOND })
    server.misbehave = undefined
    const before = asked()
    publish(server, 1)
    stream.send(9)
    await until(() => time.waits().includes(40 * SECOND))
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(asked()).toBe(before)
    expect(await time.pass(40 * SECOND, 40 * SECOND)).toBe(40 * SECOND)
    await until(() => results.length === 4)
    expect(results[3]).toMatchObject({ kind: 'updated' })
  })

  it('where streams always end early it asks every five minutes instead', async () => {
    const { open, time, results, server, watcher } = await freshWatch()
    open()
    for (let count = 0; count < 3; count++) {
      const stream = await watcher()
      stream.send(7)
      await until(() => results.length >= 2)
      stream.end()
      await until(() => server.watchers.size === 0)
      if (count < 2) await time.pass(SECOND, 30 * SECOND)
    }
    await until(() => time.waits().includes(6 * HOUR))
    const before = results.length
    expect(await time.pass(4 * MINUTE, 6 * MINUTE)).toBe(5 * MINUTE)
    await until(() => results.length === before + 1)
    expect(await time.pass(4 * MINUTE, 6 * MINUTE)).toBe(5 * MINUTE)
    await until(() => results.length === before + 2)
    expect(server.watchers.size).toBe(0)
    await time.pass(6 * HOUR, 6 * HOUR)
    await watcher()
  })

  it('a proxy that holds the stream back counts as one that ends early', async () => {
    const { open, time, server } = await freshWatch()
    open()
    for (let count = 0; count < 3; count++) {
      await until(() => server.watchers.size === 1)
      await time.pass(45 * SECOND, 45 * SECOND)
      await until(() => server.watchers.size === 0)
      if (count < 2) await time.pass(999, 5 * SECOND)
    }
    await until(() => time.waits().includes(6 * HOUR))
  })

  it('a sync that failed is tried again soon, and then less often', async () => {
    const { open, time, results, server } = await freshWatch()
    server.misbehave = (_, response) => {
      response.writeHead(500).end()
      return true
    }
    open()
    for (const [count, wait] of [2000, 3000, 5000].entries()) {
      await until(() => results.length === count + 1)
      await until(() => time.waits().includes(wait))
      await time.pass(wait, wait)
    }
  })

  it('sends what waits, about once a minute', async () => {
    const { open, time, server, place } = await freshWatch()
    open()
    appendFileSync(join(place.queue, 'active.jsonl'), '{"id":"a"}\n')
    // The file is young by the clock of the disk: whatever time it is here, it is old enough.
    await time.pass(48 * SECOND, 72 * SECOND)
    await until(() => server.stored.has('a'))
  })

  it('a token is renewed on the way, and the next stream uses the new one', async () => {
    const { open, time, server, place, results, watcher } = await freshWatch()
    open()
    const stream = await watcher()
    stream.send(1)
    await until(() => results.length === 2)
    // Sixty days in one sleep.
    const far = time.sleep(61 * 24 * HOUR)
    await time.pass(61 * 24 * HOUR, 61 * 24 * HOUR)
    await far
    stream.send(2)
    await until(() => server.renewals === 1)
    await until(() => readFileSync(place.enrolment, 'utf8').includes('renewed-1'))
    stream.end()
    await time.pass(SECOND, 30 * SECOND)
    await watcher()
  })

  it('ends when it is told, whatever it is doing', async () => {
    const { open, server, watcher } = await freshWatch()
    const one = open()
    await watcher()
    await one.stop()
    await until(() => server.watchers.size === 0)
    const early = open()
    await early.stop()
  })

  it('ends by itself when the person has left the team', async () => {
    const { open, around, results, time, watcher } = await freshWatch()
    open()
    const stream = await watcher()
    stream.send(1)
    await until(() => results.length === 2)
    expect(await leave(around, 'acme')).toMatchObject({ left: true })
    stream.send(2)
    await until(() => results.at(-1)?.problem?.code === 'enrolment')
    stream.end()
    await time.pass(SECOND, 30 * SECOND)
    await until(() => time.waits().every(ms => ms > 40 * SECOND && ms < 90 * SECOND))
  })
})
