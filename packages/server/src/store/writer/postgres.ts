// Writes records to PostgreSQL: many batches in one transaction. Rows that exist already are left out.

import type pg from 'pg'
import { DAY_MS, HOUR_MS } from '../../durations.js'
import { leftOf, type ReadBatch, readBatch, type Stored } from '../../records/batch.js'
import { type NewRecord, oldestDay, timeInId } from '../../records/read-record.js'
import { BUCKETS, COLUMNS } from '../../records/record.js'
import { tally } from '../../records/tally.js'
import { drop, openPool } from '../pool.js'
import { daysAhead, dropOldest, finishDetached, makePartition } from './partitions.js'
import { FIRST_SQL, firstOf, foldSql, outboxOf } from './statements.js'
import type { Writer, WriterOptions } from './writer.js'

/** Another process dropped the day, or there was a deadlock: repeats everything. */
const AGAIN: ReadonlySet<string> = new Set(['23514', '40P01', '40001'])
const TRIES = 5
/** A batch takes much less time; a connection that is silent for longer is dead. */
const QUERY_MS = 15_000
/** All statements of a transaction together. */
const STORE_MS = 20_000

export function openPostgresWriter({ database, isSentOn }: WriterOptions): Writer {
  const pool = openPool(database, { name: 'holdfast records', max: 3, queryMs: QUERY_MS })
  const made = new Set<number>()

  const connected = async <T>(
    work: (client: pg.PoolClient) => Promise<T>,
    longestMs?: number,
  ): Promise<T> => {
    const client = await pool.connect()
    const late = longestMs === undefined ? undefined : setTimeout(() => drop(client), longestMs)
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      // A connection on which a rollback fails is not used again.
      await client.query('rollback').catch(cause => (broken = cause as Error))
      throw error
    } finally {
      clearTimeout(late)
      client.release(broken)
    }
  }

  const ensureDays = async (client: pg.PoolClient, days: Iterable<number>) => {
    for (const day of days) {
      if (made.has(day)) continue
      await makePartition(client, day)
      made.add(day)
    }
  }

  const storeOnce = (batches: Parameters<Writer['store']>[0], now: number) =>
    connected(async client => {
      const { rows: known } = await client.query<{ record_days: number; skewed: boolean }>({
        text: 'select record_days, exists (select 1 from records where day = 0) as skewed from team',
      })
      const { record_days: recordDays, skewed } = known[0]!
      const read = batches.map(batch => readBatch(batch, { now, recordDays }))
      await ensureDays(
        client,
        new Set(read.flatMap(({ rows, gaps }) => [...rows, ...gaps]).map(({ day }) => day)),
      )
      // Acknowledged records are durable, whatever the default of the database.
      await client.query('begin; set local synchronous_commit = on')
      const stored = await storeAll(client, read, now, skewed)
      if (isSentOn) await sendOn(client, stored.added, now)
      await client.query('commit')
      return stored.answers
    }, STORE_MS)

  return {
    async store(batches, now) {
      for (let tries = 1; ; tries++) {
        try {
          return await storeOnce(batches, now)
        } catch (error) {
          if (tries === TRIES || !AGAIN.has(String((error as { code?: unknown }).code))) throw error
          made.clear()
        }
      }
    },
    fold: () =>
      connected(async client => {
        const { rowCount } = await client.query(
          `with gone as (delete from rollup_deltas where id in (select id from rollup_deltas order by id limit 100000) returning *) ${foldSql('gone')}`,
        )
        return rowCount ?? 0
      }),
    prepare: now =>
      connected(async client => {
        await finishDetached(client)
        await ensureDays(client, daysAhead(Math.floor(now / DAY_MS)))
      }),
    prune: now =>
      connected(async client => {
        const { rows } = await client.query<{ record_days: number }>('select record_days from team')
        const oldest = oldestDay(now, rows[0]!.record_days)
        // Waits for readers of the day, but not longer than a query may take; the next round tries again.
        await finishDetached(client)
        if (await dropOldest(client, oldest)) return true
        const before = oldest * DAY_MS
        await client.query('delete from records where day = 0 and received_at < $1', [before])
        await client.query('delete from rollup where span in (1, 24) and hour < $1', [before / HOUR_MS])
        await client.query('delete from device_days where day < $1', [oldest])
        for (const table of ['cursors', 'evidence', 'outbox'])
          await client.query(`delete from ${table} where at < $1`, [before])
        return false
      }),
    close: () => pool.end(),
  }
}

interface AllStored {
  readonly answers: readonly Stored[]
  readonly added: readonly NewRecord[]
}

async function storeAll(
  client: pg.PoolClient,
  read: readonly ReadBatch[],
  now: number,
  hasSkewed: boolean,
): Promise<AllStored> {
  const cursors = await lockCursors(client, read, now)
  const fresh = new Map<string, NewRecord>()
  const owners = new Map<string, number>()
  const answers = read.map((one, index) => {
    const { deviceId, segment, from, to } = one.batch
    const key = `${deviceId} ${segment}`
    const acked = cursors.get(key) ?? from
    for (const row of leftOf(one, acked)) {
      if (fresh.has(row.id)) continue
      fresh.set(row.id, row)
      owners.set(row.id, index)
    }
    cursors.set(key, Math.max(acked, to))
    return { ackedTo: Math.max(acked, to), rejected: one.rejected, added: 0 }
  })
  await leaveOutKnown(client, fresh, hasSkewed)
  // In one fixed order, so that two writers of the same rows never deadlock.
  const rows = [...fresh.values()].sort((a, b) => a.day - b.day || (a.id < b.id ? -1 : 1))
  const added = await insertUnknown(client, rows)
  for (const { id } of added) answers[owners.get(id)!]!.added++
  await addUp(client, added)
  await raiseCursors(client, read, cursors, now)
  return { answers, added }
}

/** In one order, and locked until the end: of two concurrent copies of a file, the second sees the first. */
async function lockCursors(
  client: pg.PoolClient,
  read: readonly ReadBatch[],
  now: number,
): Promise<Map<string, number>> {
  const files = new Map<string, { device_id: string; segment: string; acked_to: number; at: number }>()
  for (const { batch } of read) {
    const { deviceId, segment, from } = batch
    if (!files.has(`${deviceId} ${segment}`))
      files.set(`${deviceId} ${segment}`, { device_id: deviceId, segment, acked_to: from, at: now })
  }
  const { rows } = await client.query<{ device_id: string; segment: string; acked_to: number }>({
    text: 'insert into cursors select * from json_populate_recordset(null::cursors, $1::json) order by device_id, segment on conflict (device_id, segment) do update set at = excluded.at returning device_id, segment, acked_to',
    values: [JSON.stringify([...files.values()])],
  })
  return new Map(rows.map(({ device_id, segment, acked_to }) => [`${device_id} ${segment}`, acked_to]))
}

async function raiseCursors(
  client: pg.PoolClient,
  read: readonly ReadBatch[],
  cursors: ReadonlyMap<string, number>,
  now: number,
): Promise<void> {
  const files = new Map(
    read.map(({ batch: { deviceId, segment } }) => {
      const acked_to = cursors.get(`${deviceId} ${segment}`)!
      return [`${deviceId} ${segment}`, { device_id: deviceId, segment, acked_to, at: now }]
    }),
  )
  await client.query({
    text: 'update cursors set acked_to = greatest(cursors.acked_to, new.acked_to) from json_populate_recordset(null::cursors, $1::json) as new where cursors.device_id = new.device_id and cursors.segment = new.segment',
    values: [JSON.stringify([...files.values()])],
  })
}

const LIST = COLUMNS.join(', ')

/** After a clock was corrected, the same id may belong to two partitions. */
async function leaveOutKnown(
  client: pg.PoolClient,
  fresh: Map<string, NewRecord>,
  hasSkewed: boolean,
): Promise<void> {
  const skewed = [...fresh.values()].filter(({ clock_skew }) => clock_skew === 1)
  const leaveOut = (rows: readonly { id: string }[]) => {
    for (const { id } of rows) fresh.delete(id)
  }
  if (skewed.length > 0) {
    const ids = skewed.map(({ id }) => id)
    const days = skewed.map(({ id }) => Math.floor(timeInId(id) / DAY_MS))
    const { rows } = await client.query<{ id: string }>(
      'select r.id from unnest($1::bigint[], $2::text[]) as w (day, id) join records r on r.day = w.day and r.id = w.id',
      [days, ids],
    )
    leaveOut(rows)
  }
  if (hasSkewed) {
    const { rows } = await client.query<{ id: string }>(
      'select id from records where day = 0 and id = any ($1::text[])',
      [[...fresh.keys()]],
    )
    leaveOut(rows)
  }
}

/**
 * The rows that were not there before. One statement and not COPY: PostgreSQL ends a transaction that waits for a statement
 * of a lost connection, but not one that waits for more of a COPY, whose locks would block the next writers.
 */
async function insertUnknown(
  client: pg.PoolClient,
  rows: readonly NewRecord[],
): Promise<readonly NewRecord[]> {
  if (rows.length === 0) return rows
  const { rows: stored } = await client.query<{ id: string }>({
    text: `insert into records (${LIST}) select ${LIST} from json_populate_recordset(null::records, $1::json) order by day, id on conflict (day, id) do nothing returning id`,
    values: [JSON.stringify(rows)],
  })
  if (stored.length === rows.length) return rows
  const ids = new Set(stored.map(({ id }) => id))
  await noticeClones(
    client,
    rows.filter(({ id }) => !ids.has(id)),
  )
  return rows.filter(({ id }) => ids.has(id))
}

async function noticeClones(client: pg.PoolClient, known: readonly NewRecord[]): Promise<void> {
  await client.query(
    'update devices set looks_cloned = 1 where id in (select i.device_id from unnest($1::bigint[], $2::text[], $3::text[]) as i (day, id, device_id) join records r on r.day = i.day and r.id = i.id where r.device_id <> i.device_id)',
    [known.map(({ day }) => day), known.map(({ id }) => id), known.map(({ device_id }) => device_id)],
  )
}

const SUMS = ['hour', 'hook', 'event', 'release', 'verdict', 'count', 'ms_sum', ...BUCKETS].join(', ')

async function addUp(client: pg.PoolClient, added: readonly NewRecord[]): Promise<void> {
  const { deltas, days, evidence } = tally(added)
  if (deltas.length === 0) return
  await client.query({
    text: `insert into rollup_deltas (${SUMS}) select ${SUMS} from json_populate_recordset(null::rollup_deltas, $1::json)`,
    values: [JSON.stringify(deltas)],
  })
  await client.query({
    text: 'insert into device_days select * from json_populate_recordset(null::device_days, $1::json) on conflict (day, device_id) do update set count = device_days.count + excluded.count',
    values: [JSON.stringify(days)],
  })
  if (evidence.length === 0) return
  const shown = JSON.stringify(
    evidence.map(one => {
      const [one1, two, three, four, five] = firstOf(one)
      return { ...one, first_failures: 0, f1: one1, f2: two, f3: three, f4: four, f5: five }
    }),
  )
  await client.query({
    text: 'insert into evidence select release, device_id, 0, 0, 0, 0, at from json_populate_recordset(null::evidence, $1::json) where exists (select 1 from releases where number = release) on conflict do nothing',
    values: [shown],
  })
  await client.query({
    text: `update evidence set runs = evidence.runs + v.runs, failures = evidence.failures + v.failures, denials = evidence.denials + v.denials, at = v.at, first_failures = evidence.first_failures + ${FIRST_SQL(['v.f1', 'v.f2', 'v.f3', 'v.f4', 'v.f5'])} from json_to_recordset($1::json) as v (release bigint, device_id text, runs bigint, failures bigint, denials bigint, at bigint, f1 int, f2 int, f3 int, f4 int, f5 int) where evidence.release = v.release and evidence.device_id = v.device_id`,
    values: [shown],
  })
}

async function sendOn(client: pg.PoolClient, added: readonly NewRecord[], now: number): Promise<void> {
  for (const ids of outboxOf(added)) {
    await client.query('insert into outbox (at, ids) values ($1, $2)', [now, ids])
  }
}
