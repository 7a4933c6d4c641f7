// How many devices have which release and should have which one: one query behind every page that shows what is live.

import { sql } from 'kysely'
import {
  judgedDevices,
  newestRing,
  type RuledRelease,
  ringIn,
  SILENT_MS,
  type StateRules,
} from './device-states.js'
import type { Db } from './open.js'

/** Devices that are alike in everything that decides what is live. */
export interface LiveCount {
  /** Index into the rings. */
  readonly ring: number
  /** The release that runs; 0 for none, as on a device that obeys the kill switch. */
  readonly has: number
  /** The release that should run. A device that no release is for keeps what it has. */
  readonly wanted: number
  readonly system: string
  readonly condition: 'seen' | 'failed' | 'silent'
  readonly devices: number
}

/** The rings are those of the newest release, unless another one is named. */
export async function countLive(db: Db, rules: StateRules, release?: RuledRelease): Promise<LiveCount[]> {
  const { now, isKilled, rings } = rules
  const shares = rings.map(({ share }) => share)
  const has = sql<number>`case when state = 'killed' then 0 else release end`
  const rows = await db
    .selectFrom(
      judgedDevices(db, rules)
        .select([
          (release === undefined ? newestRing(rules) : ringIn(release, shares)).as('ring'),
          has.as('has'),
          (isKilled ? sql<number>`0` : sql<number>`case when wanted = 0 then ${has} else wanted end`).as(
            'target',
          ),
          'operating_system as system',
          sql<LiveCount['condition']>`case
            when last_seen_at < ${sql.lit(now - SILENT_MS)} then 'silent'
            when problems <> '[]' then 'failed'
            else 'seen' end`.as('condition'),
        ])
        .where('revoked_at', 'is', null)
        .as('live'),
    )
    .select(({ fn }) => ['ring', 'has', 'target', 'system', 'condition', fn.countAll<number>().as('devices')])
    .groupBy(['ring', 'has', 'target', 'system', 'condition'])
    .execute()
  return rows.map(({ ring, has, target, devices, ...row }) => ({
    ...row,
    ring: Number(ring),
    has: Number(has),
    wanted: Number(target),
    devices: Number(devices),
  }))
}

export interface HeldRevision {
  readonly release: number
  readonly hook_id: number
  readonly revision: number
  /** The canonical record, as JSON. */
  readonly content: string
}

/** The revisions of these hooks in these releases. */
export async function revisionsIn(
  db: Db,
  releases: readonly number[],
  hooks: readonly number[],
): Promise<HeldRevision[]> {
  if (releases.length === 0 || hooks.length === 0) return []
  return db
    .selectFrom('release_hooks')
    .innerJoin('revisions', join =>
      join
        .onRef('revisions.hook_id', '=', 'release_hooks.hook_id')
        .onRef('revisions.number', '=', 'release_hooks.revision'),
    )
    .select(['release_hooks.release', 'release_hooks.hook_id', 'release_hooks.revision', 'revisions.content'])
    .where('release_hooks.release', 'in', releases)
    .where('release_hooks.hook_id', 'in', hooks)
    .execute()
}

/** Every release that ever held a hook. */
export const releasesHolding = (db: Db, hookId: number) =>
  db
    .selectFrom('release_hooks')
    .innerJoin('revisions', join =>
      join
        .onRef('revisions.hook_id', '=', 'release_hooks.hook_id')
        .onRef('revisions.number', '=', 'release_hooks.revision'),
    )
    .select(['release_hooks.release', 'release_hooks.revision', 'revisions.content'])
    .where('release_hooks.hook_id', '=', hookId)
    .execute()
