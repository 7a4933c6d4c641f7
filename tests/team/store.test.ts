// The tables: created once by the first server, in the same way in both databases.

import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openRecords } from '../../packages/server/src/audit/records.js'
import { BLANK_RECORD, BUCKETS, type Bucket } from '../../packages/server/src/records/record.js'
import { MIGRATIONS, migrateBack } from '../../packages/server/src/store/migrations.js'
import { openStore, type Store } from '../../packages/server/src/store/open.js'
import { sumRecords } from '../../packages/server/src/store/record-sums.js'
import { DATABASES, type TestDatabase } from './databases.js'
import { SILENT } from './records.js'

describe.each(DATABASES)('$kind', ({ kind, createEmpty }) => {
  let database: TestDatabase
  const stores: Store[] = []
  beforeEach(async () => {
    database = await createEmpty()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const store of stores.splice(0)) await store.close()
    await database.drop()
  })
  const open = async () => {
    const store = await openStore({ database: database.url, now: () => 1_700_000_000_000 })
    stores.push(store)
    return store
  }

  it('has its tables after the first start, and the same after the second', async () => {
    const first = await open()
    expect(await first.db.selectFrom('admin_head').selectAll().execute()).toEqual([
      { one: 1, seq: 0, hash: '' },
    ])
    const second = await open()
    const ids = await second.db.selectFrom('migrations').select('id').orderBy('id').execute()
    expect(ids.map(({ id }) => id)[0]).toBe('001-sign-in')
    expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length)
  })

  it('two that start at once make them once', async () => {
    const [first] = await Promise.all([open(), open(), open()])
    expect(await first!.db.selectFrom('admin_head').selectAll().execute()).toHaveLength(1)
  })

  it('goes one step back for the server of the version before, and forward again', async () => {
    const store = await open()
    const ids = async () =>
      (await store.db.selectFrom('migrations').select('id').orderBy('id').execute()).map(({ id }) => id)
    const before = await ids()
    expect(await migrateBack(store.db as never, kind)).toBe(before.at(-1))
    expect(await ids()).toEqual(before.slice(0, -1))
    await open()
    expect(await ids()).toEqual(before)
    for (const { id, back } of MIGRATIONS) expect(back !== undefined, id).toBe(id > '008')
  })

  it('refuses tables of a newer server', async () => {
    const store = await open()
    await store.db.insertInto('migrations').values({ id: '999-later', at: 1 }).execute()
    await expect(open()).rejects.toThrow(/newer server \(999-later\)/)
  })

  it('erases root keys that an older server held, and leaves the other keys', async () => {
    const store = await open()
    const { db } = store
    const key = (id: string, use: string) => ({
      id,
      use: use as 'root',
      public_key: new Uint8Array([1]),
      private_key: use === 'recovery' ? null : new Uint8Array([2]),
      created_at: 1,
      retired_at: null,
    })
    const before = ['root', 'recovery', 'release', 'lease'].map(use => key(use, use))
    await db.insertInto('team_keys').values(before).execute()
    await db.deleteFrom('migrations').where('id', '=', '009-key-custody').execute()
    await sql`drop table change_requests`.execute(db)
    const after = await (await open()).db.selectFrom('team_keys').selectAll().orderBy('id').execute()
    expect(after.map(({ id, use, private_key }) => `${id} ${use} ${private_key === null}`)).toEqual([
      'lease lease false',
      'recovery root true',
      'release release false',
      'root root true',
    ])
  })

  it('groups records and sums of an older server by the hook, and counts none twice', async () => {
    const store = await open()
    const { db } = store
    while ((await migrateBack(db as never, kind)) !== '015-owners-and-hook-keys');
    const [here, there] = ['/home/ann/guard.sh', '/home/bob/guard.sh']
    // The script name of hook 3 was given to hook 9 in release 2.
    const runs = [
      { hook: here, hook_id: 3, release: 1, count: 5 },
      { hook: there, hook_id: 3, release: 1, count: 2 },
      { hook: here, hook_id: 9, release: 2, count: 4 },
      { hook: './own.sh', hook_id: 0, release: 0, count: 7 },
    ]
    const hour = 480_000
    const buckets = Object.fromEntries(BUCKETS.map(name => [name, 0])) as Record<Bucket, number>
    const sum = { ...buckets, hour, event: 'stop', verdict: 'allow', ms_sum: 1 }
    for (const [index, { count, ...run }] of runs.entries()) {
      const record = { ...BLANK_RECORD, ...run, id: `r${index}`, at: hour * 3_600_000, event: 'stop' }
      await db.insertInto('records').values(record).execute()
      const { hook_id: _, ...key } = run
      for (const span of [1, 24])
        await db
          .insertInto('rollup')
          .values({ ...sum, ...key, span, count: count - 1 })
          .execute()
      // One run of each was not added up yet.
      await db
        .insertInto('rollup_deltas')
        .values({ ...sum, ...key, count: 1 })
        .execute()
    }
    // Sums whose records are gone keep their key.
    const gone = { ...sum, hook: here, release: 0, count: 3 }
    for (const span of [1, 24])
      await db
        .insertInto('rollup')
        .values({ ...gone, span })
        .execute()
    await open()
    const keys = await db.selectFrom('records').select('hook').orderBy('id').execute()
    expect(keys.map(({ hook }) => hook)).toEqual(['#3', '#3', '#9', './own.sh'])
    const range = { from: hour * 3_600_000, to: (hour + 1) * 3_600_000 }
    const wanted = [
      { hook: '#3', count: 7 },
      { hook: '#9', count: 4 },
      { hook: './own.sh', count: 7 },
      { hook: here, count: 3 },
    ]
    const sums = async (byDay: boolean) =>
      (await sumRecords(db, range, ['hook'], { byDay })).toSorted((a, b) => (a.hook < b.hook ? -1 : 1))
    expect(await sums(false)).toEqual(wanted)
    const records = openRecords(store, { isSentOn: false, log: SILENT })
    while ((await records.fold()) > 0);
    await records.close()
    expect(await db.selectFrom('rollup_deltas').select('id').execute()).toEqual([])
    expect(await sums(false)).toEqual(wanted)
    const days = { from: 480_000 * 3_600_000, to: 480_024 * 3_600_000 }
    const byDay = await sumRecords(db, days, ['hook'], { byDay: true })
    expect(byDay.toSorted((a, b) => (a.hook < b.hook ? -1 : 1))).toEqual(wanted)
  })

  it('undoes what a transaction did when it fails', async () => {
    const store = await open()
    const failing = store.write(async tx => {
      await tx.updateTable('admin_head').set({ seq: 7 }).execute()
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await store.db.selectFrom('admin_head').select('seq').executeTakeFirst()).toEqual({ seq: 0 })
  })

  it('counts and bytes come back as they went in', async () => {
    const store = await open()
    await store.db
      .insertInto('scripts')
      .values({ sha256: 'x', content: Buffer.from([0, 255, 10]) })
      .execute()
    const { content } = await store.db.selectFrom('scripts').selectAll().executeTakeFirstOrThrow()
    expect([...new Uint8Array(content)]).toEqual([0, 255, 10])
    const { rows } = await sql<{ n: number }>`select count(*) as n from scripts`.execute(store.db)
    expect(rows).toEqual([{ n: 1 }])
  })

  it('a yes or no is a number in one and itself in the other, and ends neither', async () => {
    const store = await open()
    const { rows } = await sql<{ n: number }>`select 1 as n where ${true} = ${true}`.execute(store.db)
    expect(rows).toEqual([{ n: 1 }])
  })

  it('a lock is held by one at a time', async () => {
    const store = await open()
    let release = () => {}
    let first: Promise<string | null> | undefined
    await new Promise<void>(resolve => {
      first = store.alone('halt', () => {
        resolve()
        return new Promise<string>(done => (release = () => done('done')))
      })
    })
    expect(await store.alone('halt', async () => 'again')).toBe(null)
    release()
    expect(await first).toBe('done')
    expect(await store.alone('halt', async () => 'again')).toBe('again')
  })

  it('a writer that had to wait for another one goes on when that one ends', async () => {
    const [one, two] = [await open(), await open()]
    let isFree = () => {}
    const free = new Promise<void>(resolve => {
      isFree = resolve
    })
    let long: Promise<void> | undefined
    await new Promise<void>(resolve => {
      long = one.write(async tx => {
        await tx.updateTable('admin_head').set({ seq: 1 }).execute()
        resolve()
        await free
      })
    })
    const add = (id: string) => two.write(tx => tx.insertInto('migrations').values({ id, at: 1 }).execute())
    const waiting = [add('a'), two.db.insertInto('migrations').values({ id: 'b', at: 1 }).execute()]
    // PostgreSQL locks rows, and these are others.
    if (kind === 'sqlite') await expect.poll(() => two.waiting[0], { timeout: 30_000 }).toBe(1)
    else await Promise.all(waiting)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    isFree()
    await Promise.all([long, ...waiting])
    await add('c')
    // Each further try sets one.
    expect(timers.mock.calls.length).toBeLessThan(20)
    const rows = await one.db
      .selectFrom('migrations')
      .select('id')
      .where('at', '=', 1)
      .orderBy('id')
      .execute()
    expect(rows).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  })
})
