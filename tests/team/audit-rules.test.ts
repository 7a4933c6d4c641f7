// What the audit log keeps, for how long, and how it shows modification. Each case differs from a kept or intact one
// in a single column.

import type { HandlerContext } from '@connectrpc/connect'
import { createContextValues } from '@connectrpc/connect'
import type { ActionKind, SendRecordsRequest } from '@holdfast/team'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACTOR, type Actor, type Person } from '../../packages/server/src/access/actor.js'
import { openRefused } from '../../packages/server/src/access/refused.js'
import { setRecordDays } from '../../packages/server/src/approval/retention.js'
import { fieldsIn, listActions, listRefused, verifyChain } from '../../packages/server/src/audit/actions.js'
import { append } from '../../packages/server/src/audit/chain.js'
import { exportRecords } from '../../packages/server/src/audit/export.js'
import { receiveRpc } from '../../packages/server/src/audit/receive.js'
import { openRecords } from '../../packages/server/src/audit/records.js'
import { revokeDevice, setGroup, setOwner } from '../../packages/server/src/people/devices.js'
import { createKey, revokeKey } from '../../packages/server/src/people/enrolment-keys.js'
import { invite, withdraw } from '../../packages/server/src/people/invites.js'
import { removeMember, setRole } from '../../packages/server/src/people/members.js'
import { createToken, revokeToken } from '../../packages/server/src/people/person-tokens.js'
import type { Batch } from '../../packages/server/src/records/batch.js'
import { placeOf } from '../../packages/server/src/records/read-record.js'
import type { Role } from '../../packages/server/src/roles.js'
import { retentionIn } from '../../packages/server/src/store/retention.js'
import type { AdminActionRow } from '../../packages/server/src/store/schema.js'
import { openSqliteWriter } from '../../packages/server/src/store/writer/sqlite.js'
import type { Writer } from '../../packages/server/src/store/writer/writer.js'
import { batchOf, DAY, HOUR, idAt, recordAt } from './records.js'
import { codeOf, NOW, openRows, type Rows } from './rows.js'

let rows: Rows
let writer: Writer
let admin: Person
beforeAll(async () => {
  rows = await openRows()
  const { database, waiting } = rows.team.store
  // In this thread, where the tests can observe it.
  writer = openSqliteWriter({ database, waiting, isSentOn: true })
  admin = await rows.seat('admin')
})
afterAll(async () => {
  await writer.close()
  await rows.close()
})
beforeEach(async () => {
  rows.clock.now = NOW
  await rows.empty('records', 'rollup', 'rollup_deltas', 'device_days', 'cursors', 'evidence', 'outbox')
  await rows.empty('refused_calls', 'releases', 'devices')
})
const db = () => rows.team.store.db

describe('retention', () => {
  /** Records are kept for 90 days: from this moment on. */
  const FIRST = Math.floor(NOW / DAY) * DAY - 90 * DAY

  it('removes what is older in every table, and nothing else', async () => {
    const rollup = { hook: '', event: '', release: 0, verdict: 'allow', count: 1, ms_sum: 0 }
    const buckets = Object.fromEntries(
      (await db().introspection.getTables())
        .find(({ name }) => name === 'rollup')!
        .columns.map(({ name }) => [name, 0]),
    )
    for (const [name, at] of Object.entries({ kept: FIRST, old: FIRST - 1 })) {
      const day = Math.floor(at / DAY)
      await writer.store([batchOf([recordAt(at), recordAt(at)], { deviceId: name, segment: name })], at)
      await db().deleteFrom('rollup_deltas').execute()
      await db().deleteFrom('device_days').where('device_id', '=', name).execute()
      await db().insertInto('device_days').values({ day, device_id: name, count: 1 }).execute()
      for (const span of [1, 24, 720]) {
        const hour = Math.floor(at / HOUR)
        await db()
          .insertInto('rollup')
          .values({ ...buckets, ...rollup, span, hour } as never)
          .execute()
      }
      const evidence = { runs: 1, failures: 0, denials: 0, first_failures: 0 }
      await db()
        .insertInto('evidence')
        .values({ release: 1, device_id: name, ...evidence, at })
        .execute()
      // The time in its id is wrong, so the time of its arrival counts.
      await writer.store(
        [batchOf([recordAt(NOW + 900 * DAY)], { deviceId: `skewed ${name}`, segment: 's' })],
        at,
      )
    }
    await db().deleteFrom('rollup_deltas').execute()
    let rounds = 0
    while (await writer.prune(NOW)) if (++rounds > 10) throw new Error('it never ends')

    const devicesIn = async (table: 'records' | 'device_days' | 'cursors' | 'evidence') => {
      const found = await db().selectFrom(table).select('device_id').distinct().execute()
      return found
        .map(({ device_id }) => device_id)
        .filter(id => !id.startsWith('skewed'))
        .sort()
    }
    for (const table of ['records', 'device_days', 'cursors', 'evidence'] as const) {
      expect(await devicesIn(table), table).toEqual(['kept'])
    }
    const skewed = await db().selectFrom('records').select('device_id').where('day', '=', 0).execute()
    expect(skewed).toEqual([{ device_id: 'skewed kept' }])
    expect(await db().selectFrom('outbox').select('at').distinct().execute()).toEqual([{ at: FIRST }])
    const sums = await db()
      .selectFrom('rollup')
      .select(['span', 'hour'])
      .orderBy('hour')
      .orderBy('span')
      .execute()
    const before = Math.floor((FIRST - 1) / HOUR)
    expect(sums.map(({ span, hour }) => [span, hour - before])).toEqual([
      [720, 0],
      [1, 1],
      [24, 1],
      [720, 1],
    ])
  })

  it('is between one day and ten years, as an admin says', async () => {
    for (const days of [0, -1, 3651]) {
      expect(await codeOf(setRecordDays(rows.team, admin, days)), String(days)).toBe('invalid')
    }
    for (const days of [30, 3650, 90]) {
      expect(await setRecordDays(rows.team, admin, days)).toMatchObject({ recordDays: days })
      expect((await retentionIn(db())).recordDays).toBe(days)
    }
    const last = await db()
      .selectFrom('admin_actions')
      .selectAll()
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow()
    expect(fieldsIn(last.body)).toMatchObject({
      action: 'records.retention',
      detail: { before: 3650, after: 90 },
    })
  })
})

describe('a record', () => {
  it('belongs to the day of its id, unless that is too old or too far ahead', () => {
    const oldest = Math.floor(NOW / DAY) * DAY - 90 * DAY
    const skew = (at: number) => placeOf(idAt(at), NOW, 90).clock_skew
    expect([oldest, oldest - 1, NOW + DAY, NOW + DAY + 1].map(skew)).toEqual([0, 1, 0, 1])
    expect(placeOf(idAt(NOW + 2 * DAY), NOW, 90)).toEqual({ day: 0, at: NOW, clock_skew: 1 })
  })

  it('is stored once, whichever device sends it; a device that sends that of another looks cloned', async () => {
    for (const id of ['one', 'two']) await rows.device(id)
    const record = recordAt(NOW)
    const send = async (deviceId: string, segment: string) =>
      (await writer.store([batchOf([record], { deviceId, segment })], NOW))[0]!.added
    expect([await send('one', 'a'), await send('one', 'a'), await send('one', 'b')]).toEqual([1, 0, 0])
    const cloned = async () =>
      (await db().selectFrom('devices').select('id').where('looks_cloned', '=', 1).execute()).map(
        ({ id }) => id,
      )
    expect(await cloned()).toEqual([])
    expect([await send('two', 'a'), await cloned()]).toEqual([0, ['two']])
  })

  it('is evidence for a release that exists, once, with the first five runs apart', async () => {
    await rows.release(1)
    const failed = { outcome: 'failed', permission: null, response: null }
    const denied = { permission: 'deny', response: { permission: 'deny' } }
    const runs = [failed, failed, {}, denied, { ...denied, mode: 'observe' }, failed]
    const records = [1, 2, 0].flatMap(release => runs.map(run => recordAt(NOW, { release, ...run })))
    await writer.store([batchOf(records, { deviceId: 'd', segment: 'a' })], NOW)
    await writer.store([batchOf(records, { deviceId: 'd', segment: 'b' })], NOW)
    const shown = await db().selectFrom('evidence').selectAll().execute()
    expect(shown).toEqual([
      { release: 1, device_id: 'd', runs: 6, failures: 3, denials: 1, first_failures: 2, at: NOW },
    ])
    await writer.store(
      [batchOf([recordAt(NOW, { release: 1, ...failed })], { deviceId: 'd', segment: 'c' })],
      NOW,
    )
    const [after] = await db().selectFrom('evidence').selectAll().execute()
    expect(after).toMatchObject({ runs: 7, failures: 4, first_failures: 2 })
  })

  it('is acknowledged for its own file of its own device', async () => {
    const send = async (deviceId: string, segment: string, from: number, to: number) => {
      const batch = batchOf([recordAt(NOW)], { deviceId, segment, from, to })
      const [stored] = await writer.store([batch], NOW)
      return [stored!.added, stored!.ackedTo]
    }
    expect(await send('one', 'a', 0, 100)).toEqual([1, 100])
    expect(await send('two', 'a', 0, 50)).toEqual([1, 50])
    expect(await send('one', 'b', 0, 50)).toEqual([1, 50])
    // Before stored data; the cursor never moves back.
    expect(await send('one', 'a', 0, 50)).toEqual([0, 100])
    expect(await send('one', 'a', 0, 100)).toEqual([0, 100])
    expect(await send('one', 'a', 50, 101)).toEqual([1, 101])
    expect(
      await db().selectFrom('cursors').selectAll().orderBy('device_id').orderBy('segment').execute(),
    ).toEqual([
      { device_id: 'one', segment: 'a', acked_to: 101, at: NOW },
      { device_id: 'one', segment: 'b', acked_to: 50, at: NOW },
      { device_id: 'two', segment: 'a', acked_to: 50, at: NOW },
    ])
  })

  it('that comes twice in a batch is stored and counted once, and a gap behind the cursor still is', async () => {
    const record = recordAt(NOW)
    const gaps = [{ from: '', to: '', count: 1, reason: 'full' }]
    const first = await writer.store([batchOf([record, record], { to: 10 })], NOW)
    expect(first).toMatchObject([{ added: 1, ackedTo: 10, rejected: [] }])
    const again = await writer.store([batchOf([recordAt(NOW)], { to: 10, gaps })], NOW)
    expect(again).toMatchObject([{ added: 1, ackedTo: 10 }])
    const days = await db().selectFrom('device_days').select('count').execute()
    expect(days).toEqual([{ count: 2 }])
    const events = await db().selectFrom('records').select('event').orderBy('event').execute()
    expect(events).toEqual([{ event: 'beforeShellExecution' }, { event: 'gap' }])
  })

  it('waits with 64 MiB of others at most, and none is taken while the server closes', async () => {
    const records = openRecords(rows.team.store, { isSentOn: false, log: rows.team.log })
    const sized = (mib: number, segment: string): Batch => {
      const bytes = new Uint8Array(mib * 1024 * 1024)
      return { ...batchOf([], { segment, to: 1 }), bytes, ends: new Uint32Array([bytes.length]) }
    }
    expect(records.hasRoomFor(sized(65, 'a'))).toBe(true)
    const first = records.store(sized(40, 'a'), NOW)
    expect([records.hasRoomFor(sized(24, 'b')), records.hasRoomFor(sized(25, 'b'))]).toEqual([true, false])
    expect(await codeOf(records.store(sized(25, 'b'), NOW))).toBe('too-much')
    expect(await first).toMatchObject({ added: 0, rejected: [{ code: 'too-large' }] })
    expect(records.hasRoomFor(sized(25, 'b'))).toBe(true)
    await records.close()
    expect(await codeOf(records.store(sized(1, 'c'), NOW))).toBe('not-now')
  })
})

describe('a batch', () => {
  const send = (
    change: Partial<SendRecordsRequest>,
    actor: Actor = { kind: 'device', deviceId: 'd', address: '' },
  ) => {
    const request = {
      segment: 's',
      from: 0,
      to: 0,
      records: [],
      gaps: [],
      ...change,
    } as unknown as SendRecordsRequest
    const context = { values: createContextValues().set(ACTOR, actor), responseHeader: new Headers() }
    // None of these is stored.
    const { sendRecords } = receiveRpc({
      ...rows.team,
      records: { isDiskFull: () => false, hasRoomFor: () => false } as never,
    })
    return codeOf(sendRecords!(request, context as unknown as HandlerContext) as Promise<unknown>)
  }
  const gap = (count: number) => ({ from: '', to: '', count, reason: '' }) as never
  const records = (count: number) => Array.from({ length: count }, () => new Uint8Array(2))

  it.each([
    ['no segment', { segment: '' }, 'invalid'],
    ['a segment that is a path', { segment: '../x' }, 'invalid'],
    ['a long segment', { segment: 'x'.repeat(65) }, 'invalid'],
    ['a start before the file', { from: -1 }, 'invalid'],
    ['an end before its start', { from: 2, to: 1 }, 'invalid'],
    ['records without bytes', { records: records(1) }, 'invalid'],
    ['1001 records', { to: 1, records: records(1001) }, 'too-much'],
    ['101 gaps', { gaps: Array(101).fill(gap(1)) }, 'too-much'],
    ['a gap of less than none', { gaps: [gap(1), gap(-1)] }, 'invalid'],
  ])('with %s is refused', async (_, change, code) => {
    expect(await send(change)).toBe(code)
  })

  it('comes from a device', async () => {
    expect(await send({}, { kind: 'nobody', address: '' })).toBe('forbidden')
    expect(await send({}, admin)).toBe('forbidden')
  })

  describe('that is accepted', () => {
    const stored: { batch: Batch; at: number }[] = []
    let added = 0
    const open = (hasRoom = true) => {
      stored.length = 0
      added = 0
      const { sendRecords } = receiveRpc({
        ...rows.team,
        records: {
          isDiskFull: () => false,
          hasRoomFor: () => hasRoom,
          store: async (batch: Batch, at: number) => {
            stored.push({ batch, at })
            return { ackedTo: 7, rejected: [{ index: 1, code: 'bad-id', message: 'No.' }], added }
          },
        } as never,
      })
      const responseHeader = new Headers()
      const values = createContextValues().set(ACTOR, { kind: 'device', deviceId: 'd', address: '' })
      const request = { segment: 's', from: 0, to: 0, records: [], gaps: [] }
      const call = (change: object) =>
        sendRecords!(
          { ...request, ...change } as never,
          { values, responseHeader } as unknown as HandlerContext,
        ) as Promise<object>
      return { call, responseHeader }
    }

    it.each([
      ['a segment of 64 characters', { segment: `aZ09._-${'x'.repeat(57)}` }],
      ['1000 records', { to: 1, records: records(1000) }],
      ['100 gaps', { gaps: Array(100).fill(gap(1)) }],
      ['a gap of none', { gaps: [gap(0)] }],
      ['nothing in it', {}],
    ])('may have %s', async (_, change) => {
      expect(await codeOf(open().call(change))).toBe('ok')
      expect(stored).toHaveLength(1)
    })

    it('is stored for its device, as it came, and its answer says what became of it', async () => {
      const sent = { from: '2026-06-01', to: '2026-06-02', count: 3, reason: 'full', $typeName: 'x' }
      const bytes = [new Uint8Array([1, 2]), new Uint8Array([3])]
      const answer = await open().call({ segment: 'x', from: 2, to: 5, records: bytes, gaps: [sent] })
      expect(answer).toEqual({
        ackedTo: 7,
        rejected: [{ index: 1, code: 'bad-id', message: 'No.' }],
        waitMs: 0,
      })
      const { $typeName: _, ...plain } = sent
      expect(stored).toEqual([
        {
          at: NOW,
          batch: {
            deviceId: 'd',
            segment: 'x',
            from: 2,
            to: 5,
            gaps: [plain],
            bytes: new Uint8Array([1, 2, 3]),
            ends: new Uint32Array([2, 3]),
          },
        },
      ])
    })

    it('is news for open pages only when something was added', async () => {
      const { call } = open()
      const before = rows.team.hub.epoch('records')
      await call({})
      expect(rows.team.hub.epoch('records')).toBe(before)
      added = 1
      await call({})
      expect(rows.team.hub.epoch('records')).toBe(before + 1)
    })

    it('waits while too many others wait', async () => {
      const { call, responseHeader } = open(false)
      expect(await codeOf(call({}))).toBe('too-much')
      expect(stored).toEqual([])
      expect([responseHeader.get('retry-after'), responseHeader.get('retry-after-ms')]).toEqual(['2', '2000'])
    })

    it('counts its gaps, too, towards what a device may send', async () => {
      const { call, responseHeader } = open()
      for (let count = 0; count < 200; count++) await call({ gaps: Array(100).fill(gap(1)) })
      expect(await codeOf(call({ gaps: Array(100).fill(gap(1)) }))).toBe('too-much')
      expect([responseHeader.get('retry-after'), responseHeader.get('retry-after-ms')]).toEqual(['1', '500'])
      expect(stored).toHaveLength(200)
    })
  })
})

describe('an export', () => {
  const exported = async (change: object, signal = new AbortController().signal) => {
    // Read in this thread.
    const team = { ...rows.team, records: { ...rows.team.records, reader: db() } }
    const lines: string[] = []
    for await (const bytes of exportRecords(team, { format: '', ...change } as never, signal))
      lines.push(
        ...Buffer.from(bytes)
          .toString()
          .split(/[\r\n]/),
      )
    return lines.filter(line => line !== '').map(line => JSON.parse(line))
  }

  it('holds what the filter asks for, one record a line, with what the server knows of it', async () => {
    await rows.device('d1', { name: 'laptop' })
    const [wanted, skewed] = [recordAt(NOW - HOUR), recordAt(NOW + 900 * DAY, { hook: 'other.sh' })]
    const text = JSON.stringify(wanted).replace('{', '{\r\n').replace(',', ',\r').replace(/}$/, '\n}')
    await writer.store([batchOf([Buffer.from(text), skewed])], NOW)
    const line = {
      device_id: 'd1',
      device_name: 'laptop',
      device_owner: '',
      received_at: new Date(NOW).toISOString(),
    }
    expect(await exported({})).toEqual([
      { ...line, clock_skew: false, record: wanted },
      { ...line, clock_skew: true, record: skewed },
    ])
    expect(await exported({ filter: { hooks: ['other.sh'] } })).toMatchObject([{ record: skewed }])
    expect(await exported({ filter: { deviceIds: ['d2'] } })).toEqual([])
    for (const format of ['JSONL', 'CSV', ' ', 'toString'])
      expect(await codeOf(exported({ format }))).toBe('invalid')
    expect(await exported({}, AbortSignal.abort())).toEqual([])
  })
})

describe('the chain of admin actions', () => {
  const act = (actor: Actor | 'server') =>
    codeOf(
      rows.team.store.write(tx => append(tx, actor, NOW, { action: 'release.halt', subject: 'release 1' })),
    )
  const state = async () => (await verifyChain(rows.team.records.reader)).state

  it.each([
    ['actor', { actor: 'eve' }],
    ['action', { action: 'release.resume' }],
    ['subject', { subject: 'release 2' }],
    ['at', { at: NOW + 1 }],
    ['prev', { prev: 'f'.repeat(64) }],
    ['hash', { hash: 'f'.repeat(64) }],
    ['body', { body: Buffer.from('{}') }],
  ] as [string, Partial<AdminActionRow>][])('notices that %s was altered', async (_, change) => {
    await act('server')
    expect(await state()).toBe('whole')
    const [last] = await db()
      .selectFrom('admin_actions')
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(1)
      .execute()
    const { seq, ...row } = last!
    await db().updateTable('admin_actions').set(change).where('seq', '=', seq).execute()
    expect(await state()).not.toBe('whole')
    await db()
      .updateTable('admin_actions')
      .set({ ...row, body: Buffer.from(row.body) })
      .where('seq', '=', seq)
      .execute()
    expect(await state()).toBe('whole')
  })

  it('notices that it is empty, though it was not', async () => {
    const all = await db().selectFrom('admin_actions').selectAll().execute()
    await rows.empty('admin_actions')
    expect(await state()).toBe('truncated')
    const kept = all.map(row => ({ ...row, body: Buffer.from(row.body) }))
    await db().insertInto('admin_actions').values(kept).execute()
    const head = await db().selectFrom('admin_head').selectAll().executeTakeFirstOrThrow()
    await db().updateTable('admin_head').set({ seq: 0, hash: '' }).execute()
    expect(await state()).toBe('forked')
    await db().updateTable('admin_head').set({ seq: head.seq, hash: head.hash }).execute()
    expect(await state()).toBe('whole')
  })

  it('is written for people who still have their role, for devices, and for the server', async () => {
    const setRole = (role: Role) => db().updateTable('members').set({ role }).execute()
    expect(await act('server')).toBe('ok')
    expect(await act({ kind: 'device', deviceId: 'd', address: '' })).toBe('ok')
    expect(await act(admin)).toBe('ok')
    await setRole('owner')
    expect(await act(admin)).toBe('ok')
    await setRole('author')
    expect(await act(admin)).toBe('forbidden')
    await setRole('admin')
    expect(await act({ ...admin, userId: 'unknown' })).toBe('forbidden')
    expect(await state()).toBe('whole')
  })

  it('says who did it, from where, and what, in the bytes that the hash covers', async () => {
    const bodies = async () =>
      (await db().selectFrom('admin_actions').select('body').orderBy('seq', 'desc').limit(4).execute()).map(
        ({ body }) => JSON.parse(Buffer.from(body).toString()),
      )
    await act({ ...admin, address: '192.0.2.1' })
    await act({ kind: 'device', deviceId: 'd', address: '192.0.2.2' })
    await act({ kind: 'nobody', address: '192.0.2.3' })
    await act('server')
    const { seq } = await db().selectFrom('admin_head').select('seq').executeTakeFirstOrThrow()
    const said = { at: new Date(NOW).toISOString(), action: 'release.halt', subject: 'release 1', detail: {} }
    expect(await bodies()).toEqual([
      { ...said, seq, actor: 'server' },
      { ...said, seq: seq - 1, actor: 'nobody', address: '192.0.2.3' },
      { ...said, seq: seq - 2, actor: 'device d', address: '192.0.2.2' },
      { ...said, seq: seq - 3, actor: admin.name, address: '192.0.2.1' },
    ])
  })

  it('is found by each text that is shown of an action, and by nothing else', async () => {
    await rows.device('d-17', { name: 'Quartz laptop' })
    const hook = await db()
      .insertInto('hooks')
      .values({ name: 'Amber guard', draft_version: 0, revision: 0, created_at: 0 } as never)
      .returning('id')
      .executeTakeFirstOrThrow()
    await db().updateTable('user').set({ name: 'Zelda' }).where('email', '=', admin.name).execute()
    const write = (actor: Actor | 'server', subject: string, detail: object = {}) =>
      rows.team.store.write(tx =>
        append(tx, actor, NOW, { action: 'release.halt', subject, detail: detail as never }),
      )
    const { seq: start } = await db().selectFrom('admin_head').select('seq').executeTakeFirstOrThrow()
    await write('server', 'd-17')
    await write('server', 'device d-17')
    await write({ kind: 'device', deviceId: 'd-17', address: '' }, 'x')
    await write('server', `hook ${hook.id}`)
    await write(admin, 'y')
    await write('server', admin.name)
    await write('server', 'z', { reason: 'Topaz spill', hash: 'ab12cd34' })
    const found = async (query: string) => {
      const page = { pageSize: 500, pageToken: '', oldestFirst: true }
      const { actions } = await listActions(rows.team, { ...page, query })
      return actions.filter(({ seq }) => seq > start).map(({ seq }) => seq - start)
    }
    expect(await found('QUARTZ')).toEqual([1, 2, 3])
    expect(await found('amber')).toEqual([4])
    expect(await found('zelda')).toEqual([5, 6])
    expect(await found('topaz')).toEqual([7])
    expect(await found('RELEASE.HALT')).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await found('device d-17')).toEqual([2, 3])
    // A few hex digits are in many hashes and ids, so they are not looked for there.
    expect(await found('ab12cd34')).toEqual([7])
    for (const part of ['b', 'AB', 'ab12cd3']) expect(await found(part), part).not.toContain(7)
    expect(await found('d-1')).toEqual([1, 2, 3])
    for (const none of ['%', '_', 'quartz%', 'nothing like it']) expect(await found(none), none).toEqual([])
    await db().updateTable('user').set({ name: 'admin' }).where('email', '=', admin.name).execute()
    await rows.empty('hooks')
  })

  it('notices in the second page what was altered, and stops at nothing before', async () => {
    const many = 501
    await rows.team.store.write(async tx => {
      for (let count = 0; count < many; count++)
        await append(tx, 'server', NOW, { action: 'release.halt', subject: `release ${count}` })
    })
    const { seq } = await db().selectFrom('admin_head').select('seq').executeTakeFirstOrThrow()
    expect(await verifyChain(rows.team.records.reader)).toMatchObject({ state: 'whole', verifiedTo: seq })
    await db().updateTable('admin_actions').set({ subject: 'x' }).where('seq', '=', seq).execute()
    expect(await verifyChain(rows.team.records.reader)).toMatchObject({ verifiedTo: seq - 1 })
    await db()
      .updateTable('admin_actions')
      .set({ subject: `release ${many - 1}` })
      .where('seq', '=', seq)
      .execute()
    expect(await state()).toBe('whole')
  })
})

describe('refused calls', () => {
  it('are kept up to a hundred in a minute, short and on one line', async () => {
    rows.clock.now = Math.ceil(NOW / 60_000) * 60_000
    const refused = openRefused(rows.team)
    for (let count = 0; count < 150; count++) refused.note('call', 'eve', `a\nb\0${'x'.repeat(400)}`)
    await refused.flush()
    rows.clock.now += 59_999
    refused.note('call', 'eve', 'late')
    rows.clock.now += 1
    refused.note('call', 'eve', 'next minute')
    await refused.flush()
    const kept = await db().selectFrom('refused_calls').selectAll().orderBy('id').execute()
    expect(kept).toHaveLength(101)
    expect(kept[0]!.detail).toMatch(/^a b x+$/)
    expect(kept[0]!.detail).toHaveLength(300)
    expect(kept.at(-1)!.detail).toBe('next minute')
  })

  it('are found by who, what and detail, and page by page', async () => {
    const call = (what: string, who: string, detail: string) => ({ at: NOW, what, who, detail })
    await db()
      .insertInto('refused_calls')
      .values([
        call('quartz', '-', '-'),
        call('-', 'amber', '-'),
        call('-', '-', 'topaz'),
        call('-', '-', '-'),
      ])
      .execute()
    const ids = (await db().selectFrom('refused_calls').select('id').orderBy('id').execute()).map(
      ({ id }) => id,
    )
    const list = (change: object) =>
      listRefused(rows.team, { pageSize: 0, pageToken: '', query: '', ...change })
    for (const [index, query] of ['QUARTZ', 'amber', 'Topaz'].entries()) {
      expect(
        (await list({ query })).rows.map(({ id }) => id),
        query,
      ).toEqual([ids[index]])
    }
    expect((await list({ query: '%' })).rows).toEqual([])
    const first = await list({ pageSize: 3 })
    expect(first.rows.map(({ id }) => id)).toEqual(ids.slice(1).toReversed())
    const next = await list({ pageSize: 3, pageToken: first.nextPageToken })
    expect([next.rows.map(({ id }) => id), next.nextPageToken]).toEqual([[ids[0]], ''])
  })
})

describe('a change by a person', () => {
  let id: string
  const wish = { note: '', group: '', maxUses: 1, hours: 1 }
  const changes: [string, ActionKind, () => Promise<unknown>, () => string][] = [
    [
      'a role',
      'member.role',
      () => setRole(rows.team, admin, 'user-auditor', 'author'),
      () => 'auditor@example.com',
    ],
    [
      'a removal',
      'member.remove',
      () => removeMember(rows.team, admin, 'user-auditor'),
      () => 'auditor@example.com',
    ],
    [
      'an invitation',
      'member.invite',
      () => invite(rows.team, admin, 'new@example.com', 'author'),
      () => 'new@example.com',
    ],
    ['a withdrawal', 'member.uninvite', () => withdraw(rows.team, admin, id), () => 'ann@example.com'],
    [
      'a new token',
      'token.create',
      () => createToken(rows.team, admin, { name: 'x', role: '', days: 0 }),
      () => newest('tokens'),
    ],
    ['a revoked token', 'token.revoke', () => revokeToken(rows.team, admin, id), () => id],
    [
      'a new enrolment key',
      'enrolment-key.create',
      () => createKey(rows.team, admin, wish),
      () => newest('enrolment_keys'),
    ],
    [
      'a revoked enrolment key',
      'enrolment-key.revoke',
      () => revokeKey(rows.team, admin, { id, withDevices: true }),
      () => id,
    ],
    ['a group', 'device.group', () => setGroup(rows.team, admin, id, 'g'), () => id],
    ['an owner', 'device.owner', () => setOwner(rows.team, admin, id, 'ann@example.com'), () => id],
    ['a revoked device', 'device.revoke', () => revokeDevice(rows.team, admin, id, ''), () => id],
    [
      'a retention',
      'records.retention',
      () => setRecordDays(rows.team, admin, 91),
      () => `team ${rows.team.id}`,
    ],
  ]
  const TABLES = ['members', 'invites', 'tokens', 'enrolment_keys', 'devices', 'team'] as const
  const everything = async () => {
    const all = await Promise.all(TABLES.map(table => db().selectFrom(table).selectAll().execute()))
    return Object.fromEntries(TABLES.map((table, index) => [table, all[index]!]))
  }
  let before: Awaited<ReturnType<typeof everything>>
  let after: typeof before
  const newest = (table: 'tokens' | 'enrolment_keys') => {
    const old = new Set(before[table]!.map(row => (row as { id: string }).id))
    return after[table]!.map(row => (row as { id: string }).id).find(one => !old.has(one))!
  }

  beforeEach(async () => {
    await rows.empty('invites', 'tokens', 'enrolment_keys')
    await db().deleteFrom('user').where('id', '=', 'user-auditor').execute()
    await rows.seat('auditor')
    id = (await rows.invite('ann@example.com')).id
    await rows.key({ id })
    await rows.device(id, { enrolment_key: id })
    await rows.token(admin.userId, { id, kind: 'person' })
    before = await everything()
  })
  afterEach(async () => {
    await db().updateTable('members').set({ role: 'admin' }).where('user_id', '=', admin.userId).execute()
    await db().updateTable('team').set({ record_days: 90 }).execute()
  })

  it.each(changes)('%s is in the chain as %s', async (_, action, change, subject) => {
    const { seq } = await db().selectFrom('admin_head').select('seq').executeTakeFirstOrThrow()
    await change()
    after = await everything()
    expect(after).not.toEqual(before)
    const added = await db().selectFrom('admin_actions').selectAll().where('seq', '>', seq).execute()
    expect(added).toMatchObject([{ actor: admin.name, action, subject: subject(), at: NOW }])
  })

  it.each(changes)('%s is not made by a former admin', async (_, __, change) => {
    await db().updateTable('members').set({ role: 'author' }).where('user_id', '=', admin.userId).execute()
    before = await everything()
    expect(await codeOf(change())).toBe('forbidden')
    expect(await everything()).toEqual(before)
  })
})
