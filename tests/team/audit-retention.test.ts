// Records beyond the retention period are removed completely, also while others write.

import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { setLegalHold, setRecordDays } from '../../packages/server/src/approval/retention.js'
import { prepareRecords, pruneRecords } from '../../packages/server/src/audit/retention.js'
import type { OpenTeam } from '../../packages/server/src/open-team.js'
import { addVouch } from '../../packages/server/src/store/approvals.js'
import { retentionIn } from '../../packages/server/src/store/retention.js'
import { DATABASES, type TestDatabase } from './databases.js'
import { DAY, fileOf, HOUR, openTestTeam, recordAt } from './records.js'
import { seat } from './server.js'

const NOW = Date.UTC(2026, 5, 15, 12)
const ADA: Person = { kind: 'person', userId: 'u1', name: 'Ada', role: 'admin', via: 'session', address: '' }

describe.each(DATABASES)('$kind', ({ kind, create }) => {
  let database: TestDatabase
  let opened: OpenTeam
  let now = NOW
  beforeEach(async () => {
    now = NOW
    database = await create()
    opened = await openTestTeam(database.url, () => now)
    await seat(opened.team, ADA)
  })
  afterEach(async () => {
    await opened.close()
    await database.drop()
  })
  const recordDays = async () => (await retentionIn(opened.team.store.db)).recordDays
  const keepFor = (days: number) =>
    opened.team.store.db.updateTable('team').set({ record_days: days }).execute()
  const days = async () => {
    const { rows } = await sql<{ day: number; n: number }>`
      select day, count(*) as n from records group by day order by day`.execute(opened.team.store.db)
    return rows.map(({ day, n }) => [day === 0 ? 0 : day - Math.floor(NOW / DAY), n])
  }
  const sums = async (table: string) => {
    const { rows } = await sql<{ n: number | null }>`select sum(count) as n from ${sql.table(table)}`.execute(
      opened.team.store.db,
    )
    return rows[0]!.n ?? 0
  }
  const daily = (from: number, to: number, each = 2) =>
    Array.from({ length: to - from }, (_, index) =>
      Array.from({ length: each }, () => recordAt(NOW + (from + index) * DAY)),
    ).flat()

  it('follows the setting', async () => {
    expect(await recordDays()).toBe(90)
    await setRecordDays(opened.team, ADA, 30)
    expect(await recordDays()).toBe(30)
    const action = await opened.team.store.db
      .selectFrom('admin_actions')
      .selectAll()
      .orderBy('seq', 'desc')
      .executeTakeFirst()
    expect(action).toMatchObject({ action: 'records.retention', actor: 'Ada' })
    await expect(setRecordDays(opened.team, ADA, 0)).rejects.toThrow('record_days is 0; expected 1 to 3650.')
  })

  describe('below the floor', () => {
    const BOB: Person = { ...ADA, userId: 'u2', name: 'Bob' }
    beforeEach(async () => {
      await seat(opened.team, BOB)
      await fileOf(opened, 'd1').send(daily(-6, 1))
      now += 60_000
    })
    const afterDays = async (count: number) => {
      now = NOW + count * DAY
      await pruneRecords(opened.team)
      return recordDays()
    }

    const waits = (making: Promise<unknown>) => expect(making).rejects.toThrow('needs a second admin')

    it('takes a second admin and seven days of notice', async () => {
      await waits(setRecordDays(opened.team, ADA, 1))
      // A second request by the same admin does not count.
      await waits(setRecordDays(opened.team, ADA, 1))
      expect(await afterDays(30)).toBe(90)
      await waits(setRecordDays(opened.team, ADA, 1))
      now += 1
      const confirmed = await setRecordDays(opened.team, BOB, 1)
      const due = now + 7 * DAY
      expect(confirmed).toMatchObject({ recordDays: 90, shortening: { days: 1, by: 'Ada', dueAt: due } })
      await expect(setRecordDays(opened.team, ADA, 1)).rejects.toThrow('This was confirmed')
      now = due - 1
      await pruneRecords(opened.team)
      expect(await recordDays()).toBe(90)
      expect(await days()).not.toEqual([])
      now = due
      await pruneRecords(opened.team)
      expect(await retentionIn(opened.team.store.db)).toEqual({ recordDays: 1, shortening: null, hold: null })
      expect(await days()).toEqual([])
    })

    it('is withdrawn by any number that one admin may set', async () => {
      await waits(setRecordDays(opened.team, ADA, 1))
      await setRecordDays(opened.team, BOB, 90)
      await waits(setRecordDays(opened.team, BOB, 1))
      await setRecordDays(opened.team, ADA, 1)
      expect(await setRecordDays(opened.team, BOB, 90)).toMatchObject({ recordDays: 90, shortening: null })
      expect(await afterDays(60)).toBe(90)
    })

    it('is not confirmed by an account that the first admin prepared', async () => {
      const eve: Person = { ...ADA, userId: 'u3', name: 'Eve' }
      await seat(opened.team, eve)
      await opened.team.store.write(tx => addVouch(tx, { by: ADA.userId, whom: eve.userId, at: now }))
      await waits(setRecordDays(opened.team, ADA, 1))
      await expect(setRecordDays(opened.team, eve, 1)).rejects.toThrow('not independent')
      const late: Person = { ...ADA, userId: 'u4', name: 'Late' }
      now += 1
      await seat(opened.team, late)
      await expect(setRecordDays(opened.team, late, 1)).rejects.toThrow('not independent')
    })

    it('deletes nothing under a legal hold, which two admins have to lift', async () => {
      await waits(setRecordDays(opened.team, ADA, 1))
      await setRecordDays(opened.team, BOB, 1)
      await setLegalHold(opened.team, ADA, 'case 12')
      const before = await days()
      expect(await afterDays(8)).toBe(1)
      expect(await days()).toEqual(before)
      // Neither the one who set it nor another admin alone, nor by another reason.
      for (const alone of [ADA, BOB]) {
        await waits(setLegalHold(opened.team, alone, ''))
        await waits(setLegalHold(opened.team, alone, `of ${alone.name}`))
      }
      await setLegalHold(opened.team, ADA, '').catch(() => {})
      await setLegalHold(opened.team, BOB, '')
      await expect(setLegalHold(opened.team, BOB, '')).rejects.toThrow('There is no legal hold')
      await afterDays(8)
      expect(await days()).toEqual([])
    })
  })

  it('keeps the last days and the sums of them, and nothing before', async () => {
    await fileOf(opened, 'd1').send([...daily(-6, 1), recordAt(NOW + 9 * DAY)])
    await opened.team.records.fold()
    await keepFor(3)
    await pruneRecords(opened.team)
    expect(await days()).toEqual([
      [0, 1],
      [-3, 2],
      [-2, 2],
      [-1, 2],
      [0, 2],
    ])
    expect(await sums('rollup')).toBe(2 * 9)
    expect(await sums('device_days')).toBe(9)
    now = NOW + 10 * DAY
    await pruneRecords(opened.team)
    expect(await days()).toEqual([])
    expect(await sums('rollup')).toBe(0)
    expect(await sums('device_days')).toBe(0)
  })

  it('removes records in pieces, and stores those of devices during and after each of them', async () => {
    await keepFor(3)
    // PostgreSQL drops days, however many records they have.
    const each = kind === 'sqlite' ? 300 : 5
    const old = fileOf(opened, 'old')
    const writeOld = async () => {
      now = NOW - 10 * DAY
      for (let part = 0; part < 6; part++) await old.send(daily(-13, -10, each))
      now = NOW
    }
    await writeOld()
    const file = fileOf(opened, 'd1')
    let sent = 0
    const send = async () => {
      sent += (await file.send(Array.from({ length: 100 }, () => recordAt(NOW - HOUR)))).added
    }
    let pieces = 0
    const { records } = opened.team
    const { prune } = records
    records.prune = async at => {
      const [isMore] = await Promise.all([prune(at), send()])
      await send()
      pieces++
      return isMore
    }
    await pruneRecords(opened.team)
    expect(pieces).toBeGreaterThan(2)
    expect(sent).toBe(200 * pieces)
    expect(await days()).toEqual([[0, sent]])
  })

  if (kind === 'postgres')
    it('makes room ahead, and ends what a killed process left half-done', async () => {
      await fileOf(opened, 'd1').send(daily(-2, 1))
      await prepareRecords(opened.team)
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      try {
        const partitions = async () => {
          const { rows } = await client.query(
            "select c.relname as name, i.inhdetachpending as pending from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'records'::regclass",
          )
          const today = Math.floor(NOW / DAY)
          return rows
            .map(({ name, pending }) => [Number(name.slice(8)) - today, pending])
            .filter(([day]) => day > -1000)
            .sort(([a], [b]) => a - b)
        }
        expect((await partitions()).map(([day]) => day)).toEqual([-2, -1, 0, 1, 2, 3, 4, 5, 6, 7])
        // A reader is active while a partition is detached, and the process that detaches is killed.
        const reading = new pg.Client({ connectionString: database.url })
        await reading.connect()
        await reading.query('begin')
        await reading.query('select count(*) from records')
        const detaching = new pg.Client({ connectionString: database.url })
        detaching.on('error', () => {})
        await detaching.connect()
        const { rows: pids } = await detaching.query('select pg_backend_pid() as pid')
        const day = Math.floor(NOW / DAY) - 2
        const detached = detaching.query(`alter table records detach partition records_${day} concurrently`)
        detached.catch(() => {})
        while (!(await partitions()).some(([, pending]) => pending))
          await new Promise(done => setTimeout(done, 20))
        await client.query('select pg_terminate_backend($1)', [pids[0].pid])
        await reading.query('commit')
        await reading.end()
        expect((await partitions()).some(([, pending]) => pending)).toBe(true)
        await prepareRecords(opened.team)
        expect((await partitions()).some(([, pending]) => pending)).toBe(false)
        const { rows: left } = await client.query('select to_regclass($1) as name', [`records_${day}`])
        expect(left[0].name).toBe(null)
        // A day that is needed again is created again.
        await fileOf(opened, 'd1', 's2').send(daily(-2, -1))
        expect(await days()).toContainEqual([-2, 2])
      } finally {
        await client.end()
      }
    })
})
