// Looks at every release that is on its way, once a minute, in one process at a time: halts it on evidence, lets it
// advance on evidence. No evidence is no reason for either.

import { DAY_MS } from '../durations.js'
import type { ReleaseRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { denialLimit, ENOUGH_RUNS, fewestIn, type Halt, judge, quorumOf, ratesOf } from './evidence.js'
import { type Reached, reachedBy, shownFor } from './reached.js'
import { settingsIn } from './settings.js'
import { type HaltCause, stepRelease } from './steps.js'

const EVERY_MS = 60_000
/** Of the devices that caused a halt, so many are named. */
const MOST_NAMED = 20

export interface Watchman {
  /** One round, now. */
  look(): Promise<void>
  stop(): void
}

export function startWatchman(team: Team, everyMs = EVERY_MS): Watchman {
  /** What looked bad the last time: only twice in a row is a reason. */
  const suspected = new Set<number>()
  const look = async () => {
    await team.store.alone('watchman', () => round(team, suspected))
  }
  const timer = setInterval(() => {
    look().catch(error => team.log.error('the watchman failed', { error: (error as Error).message }))
  }, everyMs).unref()
  return { look, stop: () => clearInterval(timer) }
}

async function round(team: Team, suspected: Set<number>): Promise<void> {
  const { store } = team
  const settings = await settingsIn(store.db)
  const rolling = await store.db
    .selectFrom('releases')
    .selectAll()
    .where('state', 'in', ['rolling', 'done'])
    .orderBy('number', 'desc')
    .limit(2)
    .execute()
  for (const [index, release] of rolling.entries()) {
    // A release that everybody has had for a day is what the team runs: people decide about it.
    if (release.state === 'done' && team.now() - release.ring_since > DAY_MS) continue
    const reached = await reachedBy(store, release, team.now())
    const before = rolling[index + 1] ? await shownFor(store, rolling[index + 1]!.number) : []
    const limits = { failure: settings.failureLimit, denial: settings.denialLimit }
    const halt = judge(reached.shown, before, reached.devices, limits)
    if (halt === null) {
      suspected.delete(release.number)
      if (release.state === 'rolling') await maybeAdvance(team, release, reached, settings.soakMinutes)
      continue
    }
    const isSeenAgain = suspected.has(release.number)
    suspected.add(release.number)
    if (!halt.atOnce && !isSeenAgain) continue
    suspected.delete(release.number)
    const by = await named(team, halt)
    const { reason } = halt
    await stepRelease(team, 'server', release.number, 'halt', { reason, by, generation: release.generation })
    team.log.warn('a release was halted', {
      release: release.number,
      reason,
      devices: by.map(({ id }) => id),
    })
  }
}

async function named({ store }: Team, { by }: Halt): Promise<HaltCause[]> {
  const worst = by.slice(0, MOST_NAMED)
  const rows = await store.db
    .selectFrom('devices')
    .select(['id', 'name'])
    .where(
      'id',
      'in',
      worst.map(({ deviceId }) => deviceId),
    )
    .execute()
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return worst.map(({ deviceId: id, runs, failures, denials }) => ({
    id,
    name: names.get(id) ?? '',
    runs,
    failures,
    denials,
  }))
}

async function maybeAdvance(
  team: Team,
  release: ReleaseRow,
  { shown, devices }: Reached,
  soakMinutes: number,
): Promise<void> {
  if (soakMinutes === 0 || team.now() - release.ring_since < soakMinutes * 60_000) return
  if (ratesOf(shown, devices).runs < ENOUGH_RUNS) return
  await stepRelease(team, 'server', release.number, 'advance', { generation: release.generation })
  team.log.info('a release advanced', { release: release.number, ring: release.ring + 1 })
}

export interface Evidence {
  readonly runs: number
  readonly runsNeeded: number
  readonly failureRate: number
  readonly failingDevices: number
  readonly denialRate: number
  readonly denyingDevices: number
  readonly denialLimit: number
  readonly devicesNeeded: number
  readonly devicesNeededAtOnce: number
}

/** What the next round will go by, for the people who watch it. */
export async function evidenceOf({ store, now }: Team, release: ReleaseRow): Promise<Evidence> {
  const { failureLimit, denialLimit: limit } = await settingsIn(store.db)
  const older = await store.db
    .selectFrom('releases')
    .select('number')
    .where('state', 'in', ['rolling', 'done'])
    .where('number', '<', release.number)
    .orderBy('number', 'desc')
    .executeTakeFirst()
  const { shown, devices } = await reachedBy(store, release, now())
  const before = older ? await shownFor(store, older.number) : []
  return {
    ...ratesOf(shown, devices),
    runsNeeded: ENOUGH_RUNS,
    denialLimit: denialLimit(before, { failure: failureLimit, denial: limit }),
    devicesNeeded: quorumOf(devices, shown.length),
    devicesNeededAtOnce: fewestIn(devices),
  }
}
