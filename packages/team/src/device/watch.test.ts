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
  const held = () => until(() => [...server.held][0])
  const asked = () => server.calls.filter(call => call.startsWith('GetTeamHooks')).length
  return { ...device, around, time, results, open, held, asked }
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

  it('applies a change as soon as the server answers the poll that waits', async () => {
    const { open, results, server, held, asked } = await freshWatch()
    publish(server, 1)
    open()
    await held()
    expect(results).toMatchObject([{ kind: 'updated', inForce: { release: 1 } }])
    const before = asked()
    publish(server, 2)
    await until(() => results.length === 2)
    expect(results[1]).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
    // The answer to the poll is what was applied: nothing was fetched twice.
    expect(asked()).toBe(before + 1)
    await held()
  })

  it('polls again when the server ends a poll in time, and does not sync', async () => {
    const { open, time, results, held, server } = await freshWatch()
    open()
    for (let count = 0; count < 5; count++) {
      const poll = await held()
      const asleep = time.sleep(50 * SECOND)
      await time.pass(50 * SECOND, 50 * SECOND)
      await asleep
      poll.unchanged()
      await until(() => !server.held.has(poll))
    }
    await held()
    expect(results).toHaveLength(1)
  })

  it('syncs completely every half hour all the same', async () => {
    const { open, time, results, held } = await freshWatch()
    open()
    for (let count = 1; count < 4; count++) {
      const poll = await held()
      expect(results).toHaveLength(count)
      const asleep = time.sleep(31 * MINUTE)
      await time.pass(31 * MINUTE, 31 * MINUTE)
      await asleep
      poll.unchanged()
      await until(() => results.length === count + 1)
    }
  })

  it('polls again some time after a poll was cut off, and gets what it missed', async () => {
    const { open, time, results, server, held } = await freshWatch()
    open()
    const poll = await held()
    server.misbehave = (_, response) => !!response.destroy()
    poll.cut()
    await until(() => time.waits().includes(15 * SECOND))
    publish(server, 1)
    server.misbehave = undefined
    expect(await time.pass(SECOND, 30 * SECOND)).toBe(15 * SECOND)
    await until(() => results.length === 2)
    expect(results[1]).toMatchObject({ kind: 'updated' })
  })

  it('a server that is away is asked less and less often, and as it says', async () => {
    const { open, time, server, held, calls } = { ...(await freshWatch()), calls: [] as string[] }
    open()
    const poll = await held()
    server.misbehave = ({ url }, response) => {
      if (!url?.includes('/GetTeamHooks')) return false
      calls.push(url)
      const headers: Record<string, string> = calls.length === 3 ? { 'retry-after': '77' } : {}
      response.writeHead(503, headers).end()
      return true
    }
    poll.cut()
    expect(await time.pass(14_999, 15_001)).toBe(15 * SECOND)
    expect(await time.pass(999, 1001)).toBe(1000)
    expect(await time.pass(1999, 2001)).toBe(2000)
    // Several devices may get the same second.
    expect(await time.pass(77 * SECOND, 78 * SECOND)).toBe(77.5 * SECOND)
    await until(() => calls.length === 4)
  })

  it('is not asked before the time that it named', async () => {
    const { open, time, server, results, held, asked } = await freshWatch()
    open()
    await held()
    server.misbehave = ({ url }, response) => {
      if (!url?.includes('/Report')) return false
      // The rest of this test: every fetch is refused with a time.
      server.misbehave = (request, other) => {
        if (!request.url?.includes('/GetTeamHooks')) return false
        other.writeHead(429, { 'retry-after': '40' }).end()
        return true
      }
      response.writeHead(500).end()
      return true
    }
    publish(server, 1)
    await until(() => results.length === 2)
    await until(() => time.waits().some(ms => ms === 40.5 * SECOND))
    const before = asked()
    server.misbehave = undefined
    publish(server, 2)
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(asked()).toBe(before)
    expect(await time.pass(40 * SECOND, 41 * SECOND)).toBe(40.5 * SECOND)
    await until(() => results.length === 3)
    expect(results[2]).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
  })

  it('where polls are never held it asks every five minutes instead', async () => {
    const { open, time, results, held, server } = await freshWatch()
    open()
    for (let count = 0; count < 3; count++) {
      const poll = await held()
      poll.unchanged()
      await until(() => !server.held.has(poll))
      if (count < 2) await time.pass(SECOND, 30 * SECOND)
    }
    for (let count = 1; count < 3; count++) {
      expect(await time.pass(4 * MINUTE, 6 * MINUTE)).toBe(5 * MINUTE)
      await until(() => results.length === count + 1)
      expect(server.held.size).toBe(0)
    }
    const asleep = time.sleep(6 * HOUR)
    await time.pass(6 * HOUR, 6 * HOUR)
    await asleep
    await time.pass(4 * MINUTE, 6 * MINUTE)
    await held()
  })

  it('a proxy that cuts off every poll that waits counts as one that does not hold it', async () => {
    const { open, time, server, held } = await freshWatch()
    open()
    for (let count = 0; count < 3; count++) {
      const poll = await held()
      const asleep = time.sleep(30.001 * SECOND)
      await time.pass(30.001 * SECOND, 30.001 * SECOND)
      await asleep
      poll.cut()
      await until(() => !server.held.has(poll))
      if (count < 2) await time.pass(999, 30 * SECOND)
    }
    await until(() => time.waits().includes(5 * MINUTE))
    expect(server.held.size).toBe(0)
  })

  it('an answer that comes at once and changes nothing does not become a loop', async () => {
    const { open, time, server, results, asked } = await freshWatch()
    publish(server, 1)
    // A proxy that removes the etag of the request.
    server.misbehave = request => {
      delete request.headers['if-none-match']
      return false
    }
    open()
    await until(() => results.length === 2)
    expect(await time.pass(SECOND, 30 * SECOND)).toBe(15 * SECOND)
    await until(() => results.length === 3)
    expect(await time.pass(SECOND, 30 * SECOND)).toBe(15 * SECOND)
    await until(() => results.length === 4)
    expect(await time.pass(4 * MINUTE, 6 * MINUTE)).toBe(5 * MINUTE)
    await until(() => results.length === 5)
    expect(asked()).toBe(5)
  })

  it('an offer that it refuses is not asked for again before it changes', async () => {
    const { open, time, server, results, held, asked } = await freshWatch()
    publish(server, 2)
    open()
    await held()
    publish(server, 1)
    await until(() => results.length === 2)
    expect(results[1]).toMatchObject({ kind: 'refused', inForce: { release: 2 } })
    expect(await time.pass(SECOND, 30 * SECOND)).toBe(15 * SECOND)
    await held()
    const before = asked()
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(asked()).toBe(before)
    publish(server, 3)
    await until(() => results.length === 3)
    expect(results[2]).toMatchObject({ kind: 'updated', inForce: { release: 3 } })
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

  it('a token is renewed on the way, and the next poll uses the new one', async () => {
    const { open, time, server, place, held } = await freshWatch()
    const shown: unknown[] = []
    server.misbehave = ({ url, headers }) => {
      if (url?.includes('/GetTeamHooks')) shown.push(headers.authorization)
      return false
    }
    open()
    const poll = await held()
    // Sixty-one days in one sleep.
    const far = time.sleep(61 * 24 * HOUR)
    await time.pass(61 * 24 * HOUR, 61 * 24 * HOUR)
    await far
    poll.unchanged()
    await until(() => server.renewals === 1)
    await until(() => readFileSync(place.enrolment, 'utf8').includes('renewed-1'))
    await until(() => shown.at(-1) === 'Bearer renewed-1')
  })

  it('ends at the signal, whatever it is doing', async () => {
    const { open, server, held } = await freshWatch()
    const one = open()
    await held()
    await one.stop()
    await until(() => server.held.size === 0)
    const early = open()
    await early.stop()
  })

  it('ends by itself when the user has left the team', async () => {
    const { open, around, results, time, held } = await freshWatch()
    open()
    const poll = await held()
    expect(await leave(around, 'acme')).toMatchObject({ left: true })
    poll.cut()
    await time.pass(SECOND, 30 * SECOND)
    await until(() => results.at(-1)?.problem?.code === 'enrolment')
    await until(() => time.waits().every(ms => ms > 40 * SECOND && ms < 90 * SECOND))
  })
})
