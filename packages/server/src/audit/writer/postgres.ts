// Writes records to PostgreSQL: many batches in one transaction. Rows that exist already are left out.

import type pg from 'pg'
import { DAY_MS } from '../../durations.js'
import { drop, openPool } from '../../store/pool.js'
import { leftOf, type ReadBatch, readBatch, type Stored } from '../batch.js'
import { type NewRecord, oldestDay } from '../read-record.js'
import { HOUR_MS } from '../tally.js'
import { addUp, sendOn } from './add-up.js'
import { lockCursors, raiseCursors } from './cursors.js'
import { insertUnknown, leaveOutKnown } from './insert.js'
import { daysAhead, dropOldest, finishDetached, makePartition } from './partitions.js'
import { foldSql } from './statements.js'
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
