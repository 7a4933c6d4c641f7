// Two team servers behind PgBouncer in transaction mode: a statement may run on any connection of the database.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditService, DevicesService } from '@holdfast/team'
import { aroundOf, enrol, sync } from '@holdfast/team/device'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTime, openReader } from '../../packages/server/src/store/reader.js'
import { POSTGRES, type TestDatabase } from './databases.js'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.js'
import { batchOf, recordAt } from './records.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

if (!hasPgbouncer) it.skip('needs pgbouncer: apt-get install pgbouncer')

describe.runIf(hasPgbouncer)('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase
  let pooled: string
  let servers: TestServer[]
  let folder: string
  const closing: (() => Promise<unknown>)[] = []
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-pooled-'))
    database = await POSTGRES.createEmpty()
    closing.push(() => database.drop())
    const bouncer = await startPgbouncer(database.url)
    closing.push(() => bouncer.stop())
    pooled = bouncer.url
    // Both create the tables at once.
    servers = await Promise.all([1, 2].map(() => startTestServer(pooled, { listenDatabase: database.url })))
    for (const server of servers) closing.push(() => server.close())
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('publishes, delivers, stores records and adds them up', async () => {
    const [one, other] = servers as [TestServer, TestServer]
    const token = await seatMember(one, 'owner')
    const caller = callerOf(one.url, token)
    const { secret } = await caller(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
    const home = join(folder, 'home')
    mkdirSync(home)
    const around = aroundOf({ home, clientVersion: '1', platform: 'linux' })
    expect(await enrol(around, { server: other.url, proof: { enrolmentKey: secret } })).toMatchObject({
      ok: true,
    })
    const { number } = await publishHook(one, caller, '#!/bin/sh\n')
    await expect
      .poll(async () => (await sync(around, one.team.id)).inForce)
      .toMatchObject({ release: number })

    const batches = ['d1', 'd2', 'd3', 'd4'].map((deviceId, index) => {
      const records = Array.from({ length: 50 }, () => recordAt(Date.now()))
      return servers[index % 2]!.team.records.store(batchOf(records, { deviceId }), Date.now())
    })
    await Promise.all(batches)
    await one.team.records.prepare(Date.now())
    await one.team.records.prune(Date.now())
    const audit = callerOf(other.url, token)(AuditService)
    expect((await audit.searchRecords({ page: undefined } as never)).records.length).toBeGreaterThan(0)
    await expect.poll(async () => (await audit.getOverview({})).now?.runs).toBe(200)
    const ready = await fetch(`${one.url}/readyz`)
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\n'])
    expect(
      servers.flatMap(({ logged }) => logged).filter(line => /"level":"(warn|error)"/.test(line)),
    ).toEqual([])
  })

  it('limits the time of a query of the reader, and leaves no setting and no lock behind', async () => {
    const [one] = servers as [TestServer]
    const reader = openReader({ ...one.team.store, database: pooled }, 200)
    await expect(inTime(sql`select pg_sleep(20)`.execute(reader.db))).rejects.toThrow('took too long')
    await reader.close()
    await one.team.records.store(batchOf([recordAt(Date.now())]), Date.now())
    const { db } = one.team.store
    const settings = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { rows } =
          await sql`select current_setting('statement_timeout') as timeout, current_setting('jit') as jit, current_setting('lock_timeout') as locks, pg_sleep(0.01)`.execute(
            db,
          )
        return JSON.stringify(rows)
      }),
    )
    expect([...new Set(settings)]).toHaveLength(1)
    expect(settings[0]).toContain('"timeout":"0"')
    // A lock of a transaction ends with it.
    const locks = sql`select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await locks.execute(db)).rows).toEqual([])
  })

  it('gives a duty to one server at a time, and to the next when the lease ends', async () => {
    const [one, other] = servers as [TestServer, TestServer]
    let end = () => {}
    const held = new Promise<string | null>((resolve, reject) => {
      const work = () => new Promise<string>(done => (end = () => done('first')))
      one.team.store.alone('test', work).then(resolve, reject)
    })
    const second = () => other.team.store.alone('test', async () => 'second')
    const { db } = other.team.store
    const holders = () => db.selectFrom('duties').select('until').where('name', '=', 'test').execute()
    await expect.poll(async () => (await holders()).length).toBe(1)
    expect(await second()).toBe(null)
    // As 30 seconds after its holder was killed.
    await db.updateTable('duties').set({ until: 1 }).where('name', '=', 'test').execute()
    expect(await second()).toBe('second')
    end()
    expect(await held).toBe('first')
    const metrics = await (await fetch(`${one.url}/metrics`)).text()
    expect(metrics).toMatch(/holdfast_duty_seconds\{duty="test"\} \d/)
  })
})
