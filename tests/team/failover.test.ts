// PostgreSQL restarts, its network becomes silent, and a second server takes over. Nothing acknowledged is lost, and
// the team server recovers by itself.

import { HooksService } from '@holdfast/team'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPool } from '../../packages/server/src/store/pool.js'
import { itInAll } from '../scope.js'
import { order, type Postgres, startPostgres } from './postgres.js'
import { type FaultyNetwork, startProxy } from './proxy.js'
import { batchOf, recordAt } from './records.js'
import { callerOf, seatMember, startTestServer, type TestServer } from './server.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const opened = async <T>(thing: T, close: (thing: T) => Promise<unknown>): Promise<T> => {
  closing.push(() => close(thing))
  return thing
}

describe('a team server', () => {
  let primary: Postgres
  let proxy: FaultyNetwork
  let server: TestServer
  beforeEach(async () => {
    primary = await opened(await startPostgres(), one => one.stop())
    proxy = await opened(await startProxy(primary.url), one => one.close())
  })
  const serve = async () => {
    server = await opened(await startTestServer(proxy.through(primary.url)), one => one.close())
  }

  /** Sends records until it is stopped; returns the ids of acknowledged ones. */
  function sendForever() {
    const acknowledged: string[] = []
    let isOver = false
    const run = async () => {
      for (let from = 0; !isOver; ) {
        const record = recordAt(Date.now())
        const batch = batchOf([record], { deviceId: 'd1' })
        const sent = { ...batch, from, to: from + batch.to }
        try {
          await server.team.records.store(sent, Date.now())
          acknowledged.push(record.id)
          from = sent.to
        } catch {
          // A device resends what was not acknowledged.
          await new Promise(resolve => setTimeout(resolve, 50))
        }
      }
    }
    const running = run()
    return {
      acknowledged,
      more: async () => {
        const before = acknowledged.length
        await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 2)
      },
      async stop() {
        isOver = true
        await running
      },
    }
  }
  const missing = async (ids: readonly string[]) => {
    const { rows } = await sql<{ id: string }>`select id from records`.execute(server.team.store.db)
    const stored = new Set(rows.map(({ id }) => id))
    return ids.filter(id => !stored.has(id))
  }
  /** A call of a page that reads and writes. */
  async function save(name: string): Promise<void> {
    const hooks = callerOf(server.url, token)(HooksService)
    await hooks.saveDraft({
      name,
      draft: { hookStep: 'stop', scriptName: `${name}.sh`, scriptContent: '#!/bin/sh\n', isActive: true },
    })
  }
  let token = ''

  it('goes on after PostgreSQL crashed and restarted', async () => {
    await serve()
    token = await seatMember(server, 'owner')
    await save('before')
    const sending = sendForever()
    await sending.more()
    await primary.crash()
    await expect(save('during')).rejects.toThrow()
    await primary.resume()
    await sending.more()
    await expect.poll(() => save('after').then(() => 'saved', String)).toBe('saved')
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).text()).toBe('ready\n')
    await sending.stop()
    expect(await missing(sending.acknowledged)).toEqual([])
  })

  it('loses nothing acknowledged when a standby takes over', async () => {
    // A commit is acknowledged when the standby has it.
    const standby = await opened(await primary.startStandby([]), one => one.stop())
    await order(primary.url, "alter system set synchronous_standby_names = 'standby'")
    await order(primary.url, 'select pg_reload_conf()')
    await serve()
    token = await seatMember(server, 'owner')
    const sending = sendForever()
    await sending.more()
    await primary.crash()
    await order(standby.url, 'select pg_promote()')
    proxy.leadTo(standby.url)
    await sending.more()
    await expect.poll(() => save('after').then(() => 'saved', String)).toBe('saved')
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).text()).toBe('ready\n')
    await sending.stop()
    expect(await missing(sending.acknowledged)).toEqual([])
  })

  // Waits for the time limit of queries.
  itInAll('recovers when its connections go silent', async () => {
    await serve()
    token = await seatMember(server, 'owner')
    const sending = sendForever()
    await sending.more()
    proxy.silence()
    await expect.poll(() => save('after').then(() => 'saved', String)).toBe('saved')
    await expect
      .poll(async () => (await fetch(`${server.url}/readyz`)).text(), { timeout: 60_000 })
      .toBe('ready\n')
    await sending.more()
    await sending.stop()
    expect(await missing(sending.acknowledged)).toEqual([])
  })

  it('drops every connection that went silent when the first of them has no answer', async () => {
    const pool = await opened(
      openPool(proxy.through(primary.url), { name: 'test', max: 4, queryMs: 500 }),
      one => one.end(),
    )
    const ask = () => pool.query('select pg_backend_pid() as pid').then(({ rows }) => rows[0].pid as number)
    await Promise.all([1, 2, 3, 4].map(() => pool.query('select pg_sleep(0.1)')))
    expect(pool.totalCount).toBe(4)
    proxy.silence()
    await expect(ask()).rejects.toThrow()
    await expect.poll(() => pool.totalCount).toBe(0)
    expect(await ask()).toBeGreaterThan(0)
    expect(await ask()).toBeGreaterThan(0)
  })

  it('frees the locks of a transaction whose connection went silent', async () => {
    await order(primary.url, 'create table locked (id int primary key)')
    await order(primary.url, 'insert into locked values (1)')
    const cut = await opened(
      openPool(proxy.through(primary.url), { name: 'cut', max: 1, queryMs: 500 }),
      one => one.end(),
    )
    const next = await opened(openPool(primary.url, { name: 'next', max: 1, queryMs: 20_000 }), one =>
      one.end(),
    )
    const client = await cut.connect()
    await client.query('begin')
    await client.query('select id from locked for update')
    proxy.silence()
    const { rows } = await next.query('select id from locked for update')
    expect(rows).toEqual([{ id: 1 }])
    client.release(new Error('silent'))
  })
})
