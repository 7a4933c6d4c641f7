// Records of devices are stored exactly once and permanently, and invalid ones never block valid ones.

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OpenTeam } from '../../packages/server/src/open-team.js'
import { openFile } from '../../packages/server/src/store/file.js'
import { openThread } from '../../packages/server/src/store/thread.js'
import type { Order } from '../../packages/server/src/store/writer/writer.js'
import { DATABASES, type TestDatabase } from './databases.js'
import { batchOf, bytesOf, DAY, fileOf, HOUR, openTestTeam, recordAt } from './records.js'

const NOW = Date.UTC(2026, 5, 15, 12)
const WRITES = 8
const BATCHES = 8 * WRITES
/** The tables that a batch changes. */
const TABLES = [
  'records',
  'cursors',
  'rollup_deltas',
  'rollup',
  'device_days',
  'evidence',
  'devices',
  'releases',
] as const

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  let database: TestDatabase
  let opened: OpenTeam
  let now = NOW
  // The writer thread starts once: that takes longer than all that it writes here.
  beforeAll(async () => {
    database = await create()
    opened = await openTestTeam(database.url, () => now)
  })
  beforeEach(async () => {
    now = NOW
    for (const table of TABLES) await opened.team.store.db.deleteFrom(table).execute()
  })
  afterAll(async () => {
    await opened.close()
    await database.drop()
  })
  const rows = () =>
    opened.team.store.db.selectFrom('records').selectAll().orderBy('at').orderBy('id').execute()
  const counted = async (table: 'rollup' | 'rollup_deltas') => {
    const span = table === 'rollup' ? sql`where span = 1` : sql``
    const { rows: sums } = await sql<{
      n: number | null
    }>`select sum(count) as n from ${sql.table(table)} ${span}`.execute(opened.team.store.db)
    return sums[0]!.n ?? 0
  }

  it('keeps every field, and the body as it came', async () => {
    const record = recordAt(NOW - 5000, {
      hook: './hooks/guard.sh --strict',
      request: { command: 'git push  --force\norigin main' },
      permission: 'deny',
      mode: 'observe',
      release: 3,
      revision: 2,
      hook_id: 7,
      duration_ms: 31.25,
      more: { of: 'a later engine' },
    } as never)
    const body = `${JSON.stringify(record)} `
    const stored = await fileOf(opened, 'd1').send([Buffer.from(body)])
    expect(stored).toMatchObject({ added: 1, rejected: [] })
    expect(await rows()).toEqual([
      {
        day: Math.floor(NOW / DAY),
        id: record.id,
        at: NOW - 5000,
        received_at: NOW,
        device_id: 'd1',
        event: 'beforeShellExecution',
        hook: '#7',
        hook_id: 7,
        source: 'team',
        verdict: 'deny',
        failed_open: 0,
        observed: 1,
        duration_ms: 31.25,
        release: 3,
        revision: 2,
        clock_skew: 0,
        conversation_id: 'c1',
        summary: 'git push --force origin main',
        body,
      },
    ])
  })

  it('the same batch five times at once over two servers is stored and counted once', async () => {
    const other = await openTestTeam(database.url, () => now)
    try {
      const records = Array.from({ length: 300 }, (_, index) => recordAt(NOW - index * 1000))
      const send = (index: number) => (index % 2 ? other : opened).team.records.store(batchOf(records), NOW)
      const answers = await Promise.all([0, 1, 2, 3, 4].map(send))
      expect(new Set(answers.map(({ ackedTo }) => ackedTo))).toEqual(new Set([batchOf(records).to]))
      expect(answers.reduce((sum, { added }) => sum + added, 0)).toBe(300)
      expect(await rows()).toHaveLength(300)
      expect(await counted('rollup_deltas')).toBe(300)
      await Promise.all([opened.team.records.fold(), other.team.records.fold()])
      expect(await counted('rollup')).toBe(300)
      expect(await counted('rollup_deltas')).toBe(0)
    } finally {
      await other.close()
    }
  })

  it('a batch whose answer was lost is sent again in other pieces, and stored once', async () => {
    const records = Array.from({ length: 10 }, (_, index) => recordAt(NOW - 60_000 + index))
    const store = (batch: ReturnType<typeof batchOf>) => opened.team.records.store(batch, NOW)
    const half = () => batchOf(records.slice(0, 5))
    const whole = () => batchOf(records)
    expect(await store(half())).toMatchObject({ ackedTo: half().to, added: 5 })
    expect(await store(whole())).toMatchObject({ ackedTo: whole().to, added: 5 })
    expect(await store(half())).toMatchObject({ ackedTo: whole().to, added: 0 })
    expect(await store({ ...whole(), segment: 'copy' })).toMatchObject({ ackedTo: whole().to, added: 0 })
    expect(await rows()).toHaveLength(10)
    expect(await counted('rollup_deltas')).toBe(10)
  })

  it('what is no record is named, and the rest is stored', async () => {
    const good = () => recordAt(NOW - 1000)
    const text = (value: string) => Buffer.from(value)
    const bad: [Uint8Array, string][] = [
      [text(''), 'not-json'],
      [text('{'), 'not-json'],
      [text('[]'), 'not-json'],
      [text('null'), 'not-json'],
      [text('"x"'), 'not-json'],
      [bytesOf(good()).subarray(0, 100), 'not-json'],
      [text(`\ufeff${JSON.stringify(good())}`), 'not-json'],
      [text(`${'['.repeat(60_000)}`), 'not-json'],
      [Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 'not-utf8'],
      [Buffer.alloc(1024 * 1024 + 1, 0x20), 'too-large'],
      [Buffer.alloc(10 * 1024 * 1024, 0x61), 'too-large'],
      [text('{}'), 'bad-id'],
      [bytesOf({ ...good(), id: '../../etc/passwd' }), 'bad-id'],
      [bytesOf({ ...good(), id: `zzzzzzzzz-0000-${'x'.repeat(65)}` }), 'bad-id'],
      [bytesOf({ ...good(), id: 7 }), 'bad-id'],
      [bytesOf({ ...good(), event: 7 }), 'bad-field'],
      [bytesOf({ ...good(), event: 'a\0b' }), 'bad-field'],
      [bytesOf({ ...good(), outcome: 'maybe' }), 'bad-field'],
      [bytesOf({ ...good(), duration_ms: '12' }), 'bad-field'],
      [bytesOf({ ...good(), duration_ms: -1 }), 'bad-field'],
      [bytesOf({ ...good(), request: [] }), 'bad-field'],
      [bytesOf({ ...good(), release: 1.5 }), 'bad-field'],
      [bytesOf({ ...good(), release: 2 ** 53 }), 'bad-field'],
      [bytesOf({ ...good(), permission: 'denied' }), 'bad-field'],
      [bytesOf({ ...good(), notes: [1] }), 'bad-field'],
      [bytesOf({ ...good(), failed_open: undefined }), 'bad-field'],
    ]
    const batch = bad.flatMap(([bytes]) => [bytes, bytesOf(good())])
    const { rejected, added, ackedTo } = await opened.team.records.store(batchOf(batch), NOW)
    expect(rejected.map(({ index, code }) => [index, code])).toEqual(
      bad.map(([, code], index) => [index * 2, code]),
    )
    expect(
      rejected.every(({ message }) => /^[A-Z]|^[a-z_]+ must/.test(message) && message.endsWith('.')),
    ).toBe(true)
    expect(added).toBe(bad.length)
    expect(ackedTo).toBe(batchOf(batch).to)
    expect(await rows()).toHaveLength(bad.length)
  })

  it('hostile texts are kept in the body and tamed in the columns', async () => {
    const hostile = recordAt(NOW, {
      event: 'someLaterEvent',
      hook: `a\0b\ud800c${'x'.repeat(500)}`,
      conversation_id: `'; drop table records; --`,
      request: { command: `\u0000\u001b[31m${'\ud83d\ude00'.repeat(400)}`, __proto__: { x: 1 } },
    } as never)
    await fileOf(opened, 'd1').send([hostile])
    const [row] = await rows()
    expect(row).toMatchObject({ event: 'someLaterEvent', conversation_id: `'; drop table records; --` })
    expect(row!.hook).toMatch(/^a b c?x|^a b cx/)
    expect(row!.hook.length).toBeLessThanOrEqual(200)
    expect(row!.summary.length).toBeLessThanOrEqual(300)
    expect(row!.summary).toMatch(/^\[31m(\u{1f600})+…$/u)
    expect(row!.body).toBe(JSON.stringify(hostile))
  })

  it('a record that is too large to be kept whole is kept in short, and says so', async () => {
    const large = recordAt(NOW, {
      request: { command: `rm -rf / ${'x'.repeat(100_000)}` },
      response: { permission: 'deny', user_message: 'ü'.repeat(50_000) },
      permission: 'deny',
      hook: `./guard.sh ${'y'.repeat(5000)}`,
      stderr: 'z'.repeat(16_000),
      redacted: Array(3000).fill('request.x: left out'),
      verdict: { permission: 'deny', continue: null, more: 'w'.repeat(50_000) },
    } as never)
    await fileOf(opened, 'd1').send([large, recordAt(NOW)])
    const row = (await rows()).find(({ id }) => id === large.id)!
    expect(row).toMatchObject({ verdict: 'deny', summary: expect.stringMatching(/^rm -rf \/ x+…$/) })
    expect(row.body.length).toBeLessThan(5000)
    const size = Buffer.byteLength(JSON.stringify(large))
    expect(JSON.parse(row.body)).toMatchObject({
      id: large.id,
      permission: 'deny',
      request: {},
      response: { permission: 'deny' },
      verdict: { permission: 'deny', continue: null },
      redacted: [`request: left out (the record had ${size} bytes)`],
    })
  })

  it('times that cannot be right are stored, marked and found, and stored once', async () => {
    const old = recordAt(NOW - 200 * DAY)
    const ahead = recordAt(NOW + 3 * DAY)
    const absurd = recordAt(36 ** 9 - 1, { time: 'never' })
    const nearly = recordAt(NOW + 23 * HOUR)
    const last = recordAt(NOW - 90 * DAY)
    await fileOf(opened, 'd1').send([old, ahead, absurd, nearly, last])
    const bySkew = async () =>
      (await rows()).map(({ id, day, at, clock_skew }) => [id, day === 0, at, clock_skew]).sort()
    const expected = [
      [old.id, true, NOW, 1],
      [ahead.id, true, NOW, 1],
      [absurd.id, true, NOW, 1],
      [nearly.id, false, NOW + 23 * HOUR, 0],
      [last.id, false, NOW - 90 * DAY, 0],
    ].sort()
    expect(await bySkew()).toEqual(expected)
    // The clock was right after all, or another day is now too old: the same record has one place.
    now = NOW + 3 * DAY
    await fileOf(opened, 'd1', 's2').send([ahead, nearly, last, old])
    expect(await bySkew()).toEqual(expected)
  })

  it('runs that were given up are a record', async () => {
    const gap = {
      from: new Date(NOW - HOUR).toISOString(),
      to: new Date(NOW - 60_000).toISOString(),
      count: 37,
      reason: 'the queue was full',
    }
    const send = (more: object) => opened.team.records.store({ ...batchOf([]), to: 0, ...more }, NOW)
    const { ackedTo } = await opened.team.records.store(batchOf([recordAt(NOW)], { segment: 'other' }), NOW)
    expect(await send({ gaps: [gap] })).toMatchObject({ ackedTo: 0, added: 1 })
    // A gap has no bytes, and releases none.
    const again = { segment: 'other', gaps: [{ ...gap, count: 1 }] }
    expect(await send(again)).toMatchObject({ ackedTo, added: 1 })
    expect(await send(again)).toMatchObject({ ackedTo, added: 0 })
    expect(await send({ gaps: [gap, { ...gap, to: 'never' }] })).toMatchObject({ ackedTo: 0, added: 1 })
    expect(
      (await rows()).filter(({ event, summary }) => event === 'gap' && !summary.startsWith('1 ')),
    ).toMatchObject([
      { event: 'gap', at: NOW - 60_000, summary: '37 runs were not kept: the queue was full', clock_skew: 0 },
      { event: 'gap', at: NOW, clock_skew: 1 },
    ])
  })

  it('a device that sends the records of another looks cloned', async () => {
    await opened.team.store.db
      .insertInto('devices')
      .values(['d1', 'd2'].map(id => ({ ...DEVICE, id })))
      .execute()
    const records = [recordAt(NOW), recordAt(NOW)]
    await fileOf(opened, 'd1').send(records)
    await fileOf(opened, 'd1', 's2').send(records)
    await fileOf(opened, 'd2').send([...records, recordAt(NOW)])
    const devices = await opened.team.store.db
      .selectFrom('devices')
      .select(['id', 'looks_cloned'])
      .orderBy('id')
      .execute()
    expect(devices).toEqual([
      { id: 'd1', looks_cloned: 0 },
      { id: 'd2', looks_cloned: 1 },
    ])
    expect(await rows()).toHaveLength(3)
  })

  it('counts what each device showed of a release, and how it began', async () => {
    await opened.team.store.db.insertInto('releases').values(RELEASE).execute()
    const run = (outcome: string, more: object = {}) =>
      recordAt(NOW, { outcome, permission: null, response: null, release: 1, ...more } as never)
    const file = fileOf(opened, 'd1')
    await file.send([run('failed'), run('silent'), run('failed')])
    await file.send([run('failed'), run('silent'), run('failed'), run('answered', { permission: 'deny' })])
    await file.send([run('failed'), run('answered', { permission: 'deny', mode: 'observe' })])
    await fileOf(opened, 'd2').send(Array.from({ length: 7 }, () => run('failed', { failed_open: true })))
    await fileOf(opened, 'd3').send([run('failed', { release: 99 })])
    const evidence = await opened.team.store.db
      .selectFrom('evidence')
      .selectAll()
      .orderBy('device_id')
      .execute()
    expect(evidence).toEqual([
      { release: 1, device_id: 'd1', runs: 9, failures: 5, denials: 1, first_failures: 3, at: NOW },
      { release: 1, device_id: 'd2', runs: 7, failures: 7, denials: 0, first_failures: 5, at: NOW },
    ])
  })

  it('what the database cannot take of one device does not stand in the way of another', async () => {
    const refusing =
      opened.team.store.kind === 'postgres'
        ? "alter table records add constraint refused check (hook <> 'poison')"
        : "create trigger refused before insert on records when new.hook = 'poison' begin select raise(abort, 'refused'); end"
    await sql.raw(refusing).execute(opened.team.store.db)
    // Batches that arrive while the first ones are stored are stored together.
    const send = (device: number) =>
      fileOf(opened, `d${device}`).send([recordAt(NOW, { hook: device === 5 ? 'poison' : './guard.sh' })])
    const sent = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6, 7].map(send))
    expect(sent.map(({ status }) => status === 'fulfilled')).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map(n => n !== 5),
    )
    expect(await rows()).toHaveLength(7)
    expect(await counted('rollup_deltas')).toBe(7)
  })

  // In PostgreSQL they do not wait for each other.
  if (kind === 'sqlite')
    it('a write by a user waits for a few device batches at most, however many are queued', async () => {
      const { store } = opened.team
      const stored = async () => (await store.db.selectFrom('cursors').select('segment').execute()).length
      // Slow batches make the unlocked moment between two of them too short for a write to succeed by luck.
      const many = '(select 1 from sqlite_master a, sqlite_master b, sqlite_master c limit 600000)'
      const slow = `create trigger slow after insert on records begin select count(*) from ${many}; end`
      await sql.raw(slow).execute(store.db)
      const thread = openThread<Order>('records-writer', {
        database: store.database,
        waiting: store.waiting,
        isSentOn: false,
      })
      const probe = openFile(database.url)
      probe.pragma('busy_timeout = 0')
      /** In the middle of a batch. */
      const isBusy = () => {
        try {
          probe.exec('begin immediate; rollback')
          return false
        } catch {
          return true
        }
      }
      try {
        const sent = Array.from({ length: BATCHES }, (_, index) => {
          const batches = [batchOf([recordAt(NOW)], { segment: `s${index}` })]
          return thread.ask({ kind: 'store', batches, now: NOW })
        })
        let isOver = false
        const all = Promise.all(sent).then(() => (isOver = true))
        for (let index = 0; index < WRITES; index++) {
          await expect.poll(() => isOver || isBusy(), { interval: 1 }).toBe(true)
          await store.write(tx =>
            tx
              .updateTable('team')
              .set({ name: `n${index}` })
              .execute(),
          )
        }
        // Each waits for the current batch, and on a busy machine for a few more. A writer that does not yield stores
        // all of them before the first write of a user.
        expect(await stored()).toBeLessThan(BATCHES)
        await all
      } finally {
        probe.close()
        await thread.end({ kind: 'close' })
        await sql.raw('drop trigger slow').execute(store.db)
      }
    })
})

const DEVICE = {
  name: 'laptop',
  operating_system: 'Linux',
  os_version: '',
  client_version: '',
  group: '',
  enrolled_at: NOW,
  owner: '',
  enrolled_by: 'test',
  enrolment_key: null,
  token_id: '',
  last_seen_at: NOW,
  release: 0,
  release_hash: '',
  trust_version: 0,
  state: 'in_sync',
  problems: '[]',
  queued: 0,
  place: 0,
  revoked_at: null,
  looks_cloned: 0,
  lease_seq: 0,
}
const RELEASE = {
  number: 1,
  epoch: 1,
  hash: 'h',
  payload: Buffer.from('{}'),
  signatures: '[]',
  state: 'rolling' as const,
  ring: 0,
  ring_since: NOW,
  generation: 1,
  halted_because: '',
  halt_causes: '[]',
  rolls_back_to: null,
  note: '',
  author: '',
  at: NOW,
  expires_at: NOW + DAY,
}
