// What devices showed of a release in their runs.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from './open.js'

/** What one device showed, or what several showed that had no failure and no denial. */
export interface DeviceEvidence {
  /** Empty for several devices. */
  readonly deviceId: string
  /** (default: 1) */
  readonly devices?: number
  /** Of several devices: of each, counted up to a limit. */
  readonly runs: number
  readonly failures: number
  readonly denials: number
  /** Failures among its first five runs. */
  readonly firstFailures: number
}

export type RingEvidence = DeviceEvidence & {
  readonly ring: number
  /** Of all these devices together, without a limit. */
  readonly allRuns: number
}

export interface EvidenceFilter {
  readonly release: number
  /** More runs of a device without a failure count no more than this. */
  readonly mostRuns: number
  readonly where?: RawBuilder<SqlBool>
  readonly ring?: RawBuilder<number>
}

/** Devices without a failure or denial, which are nearly all, are grouped: a large fleet is a few rows. */
export async function findEvidence(
  db: Db | Tx,
  { release, mostRuns, where = sql<SqlBool>`1 = 1`, ring = sql<number>`0` }: EvidenceFilter,
): Promise<RingEvidence[]> {
  const isClean = sql<SqlBool>`failures = 0 and denials = 0 and first_failures = 0`
  const evidence = db
    .selectFrom('evidence')
    .leftJoin('devices', 'devices.id', 'evidence.device_id')
    .where('evidence.release', '=', release)
    .where('evidence.runs', '>', 0)
    .where(where)
  const runs = sql<number>`case when runs > ${sql.lit(mostRuns)} then ${sql.lit(mostRuns)} else runs end`
  const [clean, others] = await Promise.all([
    evidence
      .where(isClean)
      .select(({ fn }) => [
        ring.as('ring'),
        runs.as('runs'),
        fn.countAll<number>().as('devices'),
        fn.sum<number>('runs').as('allRuns'),
      ])
      .groupBy([sql`1`, sql`2`])
      .execute(),
    evidence
      .where(sql<SqlBool>`not (${isClean})`)
      .select([ring.as('ring'), 'device_id as deviceId', 'runs', 'failures', 'denials'])
      .select('first_failures as firstFailures')
      .execute(),
  ])
  return [
    ...clean.map(row => ({
      deviceId: '',
      devices: Number(row.devices),
      ring: Number(row.ring),
      runs: Number(row.runs),
      allRuns: Number(row.allRuns),
      failures: 0,
      denials: 0,
      firstFailures: 0,
    })),
    ...others.map(row => ({ ...row, ring: Number(row.ring), allRuns: row.runs })),
  ]
}

export const deleteEvidence = (tx: Tx, release: number) =>
  tx.deleteFrom('evidence').where('release', '=', release).execute()
