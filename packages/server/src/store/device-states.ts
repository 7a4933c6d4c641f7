// The release that each device should have and the state that follows from it, worked out by the database: lists and counts
// of a hundred thousand devices read no row that they do not show. For one device, rollout/wanted.ts is the reference.

import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import type { Schema } from './schema.js'

export const DEVICE_STATES = [
  'in_sync',
  'attention',
  'behind',
  'silent',
  'stale',
  'killed',
  'no_bundle',
  'revoked',
  'left',
] as const
export type DeviceState = (typeof DEVICE_STATES)[number]

export const SILENT_MS = 3 * DAY_MS

/** Everything that decides, at one moment. */
export interface StateRules {
  readonly now: number
  readonly isKilled: boolean
  /** Those that have not ended. */
  readonly pins: readonly {
    readonly kind: 'device' | 'group'
    readonly whom: string
    readonly release: number
  }[]
  readonly rings: readonly { readonly name: string; readonly share: number }[]
  /** Signed, the newest first. */
  readonly releases: readonly RuledRelease[]
}

export interface RuledRelease {
  readonly number: number
  readonly state: string
  readonly ring: number
  /** Whether rows of ring_members name its rings. */
  readonly hasMembers: boolean
}

/** How devices are judged at this moment. */
export type Rules = () => Promise<StateRules>

/** The ring that a place falls into. */
export const ringOfPlace = (shares: readonly number[]): RawBuilder<number> => {
  const steps = shares.map((share, ring) => sql`when devices.place < ${sql.lit(share)} then ${sql.lit(ring)}`)
  return steps.length === 0
    ? sql<number>`0`
    : sql<number>`case ${sql.join(steps, sql` `)} else ${sql.lit(shares.length - 1)} end`
}

/** The ring of a device in the rollout of a release: as it was assigned, or by its place. */
export const ringIn = (
  { number, hasMembers }: { readonly number: number; readonly hasMembers: boolean },
  shares: readonly number[],
): RawBuilder<number> => {
  if (!hasMembers) return ringOfPlace(shares)
  const assigned = sql`(select ring from ring_members where ring_members.release = ${sql.lit(number)} and device_id = devices.id)`
  const last = sql.lit(Math.max(0, shares.length - 1))
  const ring = sql`coalesce(${assigned}, ${ringOfPlace(shares)})`
  return sql<number>`case when ${ring} > ${last} then ${last} else ${ring} end`
}

export const ENROLLED = sql<SqlBool>`devices.revoked_at is null`

const sharesOf = (rings: StateRules['rings']) => rings.map(({ share }) => share)

/** The ring of a device in the newest release, by its index. */
export function newestRing({ rings, releases: [newest] }: StateRules): RawBuilder<number> {
  const shares = sharesOf(rings)
  return newest ? ringIn(newest, shares) : ringOfPlace(shares)
}

/** The same by its name, as every page shows it and as the lease names it. */
export function shownRing(rules: StateRules): RawBuilder<string> {
  const ring = newestRing(rules)
  const names = rules.rings.map(({ name }, index) => sql`when ${ring} = ${sql.lit(index)} then ${name}`)
  return names.length === 0 ? sql<string>`''` : sql<string>`case ${sql.join(names, sql` `)} else '' end`
}

/** The releases that devices may get without a pin, of those that are given with the newest first. */
export function current<R extends { readonly state: string }>(releases: readonly R[]): readonly R[] {
  const out = releases.filter(({ state }) => state === 'rolling' || state === 'done')
  const end = out.findIndex(({ state }) => state === 'done')
  return out.slice(0, end === -1 ? undefined : end + 1)
}

function wanted({ isKilled, pins, rings, releases }: StateRules): RawBuilder<number> {
  if (isKilled) return sql<number>`0`
  const shares = sharesOf(rings)
  const steps = current(releases).map(release => {
    const { number, state, ring } = release
    const has = state === 'done' ? sql`1 = 1` : sql`${ringIn(release, shares)} <= ${sql.lit(ring)}`
    return sql`when ${has} then ${sql.lit(number)}`
  })
  const newest = steps.length === 0 ? sql<number>`0` : sql<number>`case ${sql.join(steps, sql` `)} else 0 end`
  const known = new Set(releases.map(({ number }) => number))
  const pinned = (['device', 'group'] as const).flatMap(kind =>
    pins
      .filter(pin => pin.kind === kind)
      .map(({ whom, release }) => {
        const column = kind === 'device' ? sql.ref('devices.id') : sql.ref('devices.group')
        return sql`when ${column} = ${whom} then ${known.has(release) ? sql.lit(release) : newest}`
      }),
  )
  return pinned.length === 0 ? newest : sql<number>`case ${sql.join(pinned, sql` `)} else ${newest} end`
}

/** Whether a release is for a device that was seen after a time: its pin decides, else its ring. */
export function isReached(
  release: RuledRelease,
  pins: readonly Pick<StateRules['pins'][number], 'kind' | 'whom' | 'release'>[],
  shares: readonly number[],
  seenAfter: number,
): RawBuilder<SqlBool> {
  const has =
    release.state === 'done' ? sql`1 = 1` : sql`${ringIn(release, shares)} <= ${sql.lit(release.ring)}`
  const pinned = pins
    .toSorted((a, b) => (a.kind === b.kind ? 0 : a.kind === 'device' ? -1 : 1))
    .map(({ kind, whom, release: pinnedTo }) => {
      const column = kind === 'device' ? sql.ref('devices.id') : sql.ref('devices.group')
      return sql`when ${column} = ${whom} then ${sql.lit(pinnedTo === release.number ? 1 : 0)}`
    })
  const isFor =
    pinned.length === 0
      ? has
      : sql`case ${sql.join(pinned, sql` `)} else case when ${has} then 1 else 0 end end = 1`
  return sql<SqlBool>`devices.revoked_at is null and devices.last_seen_at > ${sql.lit(seenAfter)} and ${isFor}`
}

/** The first that applies: the last report of a device counts only while it is seen. */
const state = ({ now }: StateRules): RawBuilder<DeviceState> => sql<DeviceState>`case
  when revoked_at is not null then case when state = 'left' then 'left' else 'revoked' end
  when last_seen_at < ${sql.lit(now - SILENT_MS)} then 'silent'
  when problems <> '[]' then 'attention'
  when state in ('killed', 'stale') then state
  when wanted = 0 then 'in_sync'
  when release = 0 then 'no_bundle'
  when release = wanted then 'in_sync'
  else 'behind' end`

/** The devices, with `wanted` and `shown_state` as further columns. */
export const judgedDevices = (db: Kysely<Schema>, rules: StateRules) =>
  db.selectFrom(({ selectFrom }) =>
    selectFrom(({ selectFrom }) =>
      selectFrom('devices')
        .selectAll('devices')
        .select(sql<number>`case when revoked_at is null then ${wanted(rules)} else 0 end`.as('wanted'))
        .as('devices'),
    )
      .selectAll('devices')
      .select(state(rules).as('shown_state'))
      .as('devices'),
  )
