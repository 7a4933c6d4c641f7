// Writes records to the file. Everything here is synchronous, and one transaction holds all batches that arrived during
// the last one, so that they share one sync of the disk.

import type Database from 'libsql'
import { DAY_MS, HOUR_MS } from '../../durations.js'
import { leftOf, type ReadBatch, readBatch, type Stored } from '../../records/batch.js'
import { type NewRecord, oldestDay, timeInId } from '../../records/read-record.js'
import { BUCKETS, COLUMNS, type RollupRow } from '../../records/record.js'
import { type ReleaseEvidence, tally } from '../../records/tally.js'
import { openFile } from '../file.js'
import { FIRST_SQL, firstOf, foldSql, outboxOf } from './statements.js'
import type { Writer, WriterOptions } from './writer.js'

/** The thread may block; its caller may not. */
const PATIENCE_MS = 10_000
const GIVE_WAY_MS = 50
/** A larger one would block senders for a noticeable time. */
const PRUNED_AT_ONCE = 2000

export function openSqliteWriter({ database: file, waiting, isSentOn }: WriterOptions): Writer {
  const database = openFile(file)
  database.pragma(`busy_timeout = ${PATIENCE_MS}`)
  const write = statementsOf(database)

  const transaction = <T>(work: () => T): T => {
    giveWay(waiting)
    write.begin.run()
    try {
      const value = work()
      write.commit.run()
      return value
    } catch (error) {
      if (database.inTransaction) write.rollback.run()
      throw error
    }
  }

  const storeOne = (
    read: ReadBatch,
    now: number,
    hasSkewed: boolean,
  ): Stored & { rows: readonly NewRecord[] } => {
    const { deviceId, segment, from, to } = read.batch
    const cursor = write.cursor.get(deviceId, segment) as { acked_to: number } | undefined
    const acked = cursor?.acked_to ?? from
    const fresh = leftOf(read, acked)
    const added = fresh.filter(row => insert(row, hasSkewed))
    if (added.length < fresh.length) noticeClones(deviceId, fresh)
    const sums = tally(added)
    for (const delta of sums.deltas) write.delta.run(...deltaValues(delta))
    for (const { day, device_id, count } of sums.days) write.day.run(day, device_id, count)
    for (const shown of sums.evidence) addEvidence(shown)
    const ackedTo = Math.max(acked, to)
    if (to > from) write.raise.run(deviceId, segment, ackedTo, now)
    return { ackedTo, rejected: read.rejected, added: added.length, rows: added }
  }

  const insert = (row: NewRecord, hasSkewed: boolean): boolean => {
    if (row.clock_skew === 1) {
      const known = write.known.get(Math.floor(timeInId(row.id) / DAY_MS), row.id)
      if (known) return false
    } else if (hasSkewed && write.known.get(0, row.id)) return false
    return write.record.run(...COLUMNS.map(column => row[column])).changes === 1
  }

  const noticeClones = (deviceId: string, rows: readonly NewRecord[]) => {
    const isElsewhere = rows.some(({ day, id }) => {
      const known = write.known.get(day, id) as { device_id: string } | undefined
      return known !== undefined && known.device_id !== deviceId
    })
    if (isElsewhere) write.cloned.run(deviceId)
  }

  const addEvidence = (shown: ReleaseEvidence) => {
    const { release, device_id, runs, failures, denials, at } = shown
    write.evidence.run(release, device_id, at, release)
    write.show.run(runs, failures, denials, at, ...firstOf(shown), release, device_id)
  }

  return {
    async store(batches, now) {
      const { record_days: recordDays } = write.team.get() as { record_days: number }
      const read = batches.map(batch => readBatch(batch, { now, recordDays }))
      return transaction(() => {
        const hasSkewed = write.skewed.get() !== undefined
        const stored = read.map(one => storeOne(one, now, hasSkewed))
        if (isSentOn) {
          for (const ids of outboxOf(stored.flatMap(({ rows }) => rows))) write.outbox.run(now, ids)
        }
        return stored.map(({ ackedTo, rejected, added }) => ({ ackedTo, rejected, added }))
      })
    },
    fold: async () =>
      transaction(() => {
        const { last } = write.lastDelta.get() as { last: number | null }
        if (last === null) return 0
        write.fold.run(last)
        return write.folded.run(last).changes
      }),
    async prepare() {
      // A file has no partitions.
    },
    async prune(now) {
      const { record_days: recordDays } = write.team.get() as { record_days: number }
      const oldest = oldestDay(now, recordDays)
      return transaction(() => {
        const before = oldest * DAY_MS
        let gone = write.prune.run(oldest, PRUNED_AT_ONCE).changes
        gone += write.pruneSkewed.run(before, PRUNED_AT_ONCE).changes
        gone += write.pruneSums.run((oldest * DAY_MS) / HOUR_MS, PRUNED_AT_ONCE).changes
        if (gone > 0) return true
        write.pruneDays.run(oldest)
        write.pruneCursors.run(before)
        write.pruneEvidence.run(before)
        write.pruneOutbox.run(before)
        return false
      })
    },
    async close() {
      database.close()
    },
  }
}

/** Other writers get the file before the next batch, without having to be lucky. */
function giveWay(waiting: Int32Array): void {
  const until = Date.now() + GIVE_WAY_MS
  for (let seen = Atomics.load(waiting, 0); seen > 0 && Date.now() < until; seen = Atomics.load(waiting, 0)) {
    Atomics.wait(waiting, 0, seen, 5)
  }
}

const deltaValues = (delta: RollupRow) => DELTA_COLUMNS.map(column => delta[column])
const DELTA_COLUMNS = ['hour', 'hook', 'event', 'release', 'verdict', 'count', 'ms_sum', ...BUCKETS] as const

function statementsOf(database: Database.Database) {
  const marks = (count: number) => Array(count).fill('?').join(', ')
  const prepare = (sql: string) => database.prepare(sql)
  return {
    begin: prepare('begin immediate'),
    commit: prepare('commit'),
    rollback: prepare('rollback'),
    team: prepare('select record_days from team'),
    cursor: prepare('select acked_to from cursors where device_id = ? and segment = ?'),
    raise: prepare(
      'insert into cursors (device_id, segment, acked_to, at) values (?, ?, ?, ?) on conflict (device_id, segment) do update set acked_to = excluded.acked_to, at = excluded.at',
    ),
    known: prepare('select device_id from records where day = ? and id = ?'),
    skewed: prepare('select 1 from records where day = 0 limit 1'),
    record: prepare(
      `insert or ignore into records (${COLUMNS.join(', ')}) values (${marks(COLUMNS.length)})`,
    ),
    cloned: prepare('update devices set looks_cloned = 1 where id = ?'),
    delta: prepare(
      `insert into rollup_deltas (${DELTA_COLUMNS.join(', ')}) values (${marks(DELTA_COLUMNS.length)})`,
    ),
    day: prepare(
      'insert into device_days (day, device_id, count) values (?, ?, ?) on conflict (day, device_id) do update set count = device_days.count + excluded.count',
    ),
    evidence: prepare(
      'insert or ignore into evidence (release, device_id, runs, failures, denials, first_failures, at) select ?, ?, 0, 0, 0, 0, ? where exists (select 1 from releases where number = ?)',
    ),
    show: prepare(
      `update evidence set runs = runs + ?, failures = failures + ?, denials = denials + ?, at = ?, first_failures = first_failures + ${FIRST_SQL(['?', '?', '?', '?', '?'])} where release = ? and device_id = ?`,
    ),
    outbox: prepare('insert into outbox (at, ids) values (?, ?)'),
    lastDelta: prepare('select max(id) as last from rollup_deltas'),
    fold: prepare(foldSql('rollup_deltas where id <= ?')),
    folded: prepare('delete from rollup_deltas where id <= ?'),
    prune: prepare(
      'delete from records where (day, id) in (select day, id from records where day > 0 and day < ? limit ?)',
    ),
    pruneSkewed: prepare(
      'delete from records where day = 0 and id in (select id from records where day = 0 and received_at < ? limit ?)',
    ),
    pruneSums: prepare(
      'delete from rollup where (span, hour, hook, event, release, verdict) in (select span, hour, hook, event, release, verdict from rollup where span in (1, 24) and hour < ? limit ?)',
    ),
    pruneDays: prepare('delete from device_days where day < ?'),
    pruneCursors: prepare('delete from cursors where at < ?'),
    pruneEvidence: prepare('delete from evidence where at < ?'),
    pruneOutbox: prepare('delete from outbox where at < ?'),
  }
}
