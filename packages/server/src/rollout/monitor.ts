// The rollout monitor: once a minute, one server judges each rolling release, and halts or advances it on evidence. Without
// evidence it does neither.

import { DAY_MS } from '../durations.js'
import { isReached } from '../store/device-states.js'
import { countReached, deviceNames } from '../store/devices.js'
import { type DeviceEvidence, findEvidence } from '../store/evidence.js'
import type { Db } from '../store/open.js'
import { allPins } from '../store/pins.js'
import { releasesOut } from '../store/releases.js'
import { hasMembers } from '../store/rings.js'
import type { ReleaseRow } from '../store/schema.js'
import { settingsIn } from '../store/team.js'
import type { Team } from '../team.js'
import {
  countOf,
  denialLimit,
  ENOUGH_RUNS,
  fewestIn,
  type Halt,
  judge,
  quorumOf,
  ratesOf,
} from './evidence.js'
import { RECENT_MS } from './rings.js'
import { type HaltCause, stepRelease } from './steps.js'

const EVERY_MS = 60_000
/** How many of the devices that caused a halt are named. */
const MOST_NAMED = 20

export interface Reached {
  /** Recently seen devices, with or without the release: the first ones that have it are not all of them. */
  readonly devices: number
  readonly shown: readonly DeviceEvidence[]
}

export async function reachedBy(db: Db, release: ReleaseRow, now: number): Promise<Reached> {
  const { rings } = await settingsIn(db)
  const pins = (await allPins(db)).filter(({ until }) => until > now)
  const shares = rings.map(({ share }) => share)
  const ruled = { ...release, hasMembers: await hasMembers(db, release.number) }
  const where = isReached(ruled, pins, shares, now - RECENT_MS)
  const [devices, shown] = await Promise.all([
    countReached(db, where),
    findEvidence(db, { release: release.number, mostRuns: ENOUGH_RUNS, where }),
  ])
  return { devices, shown }
}

/** Of any device. */
export const shownFor = (db: Db, release: number): Promise<readonly DeviceEvidence[]> =>
  findEvidence(db, { release, mostRuns: ENOUGH_RUNS })

export interface RolloutMonitor {
  /** Runs one round now. */
  look(): Promise<void>
  stop(): void
}

export function startRolloutMonitor(team: Team, everyMs = EVERY_MS): RolloutMonitor {
  /** The causes of the last round: only two in a row halt a release. */
  const suspected = new Set<number>()
  const look = async () => {
    await team.store.alone('rollout-monitor', () => round(team, suspected))
  }
  const timer = setInterval(() => {
    look().catch(error => team.log.error('the rollout monitor failed', { error: (error as Error).message }))
  }, everyMs).unref()
  return { look, stop: () => clearInterval(timer) }
}

async function round(team: Team, suspected: Set<number>): Promise<void> {
  const { store } = team
  const settings = await settingsIn(store.db)
  const rolling = await releasesOut(store.db, { limit: 2 })
  for (const [index, release] of rolling.entries()) {
    // A release that reached everybody a day ago is no longer judged automatically.
    if (release.state === 'done' && team.now() - release.ring_since > DAY_MS) continue
    const reached = await reachedBy(store.db, release, team.now())
    const before = rolling[index + 1] ? await shownFor(store.db, rolling[index + 1]!.number) : []
    const limits = { failure: settings.failureLimit, denial: settings.denialLimit }
    const halt = judge(reached.shown, before, reached.devices, limits)
    if (halt === null) {
      suspected.delete(release.number)
      const isReplaced = rolling.slice(0, index).some(({ state }) => state === 'done')
      if (release.state === 'rolling' && !isReplaced)
        await maybeAdvance(team, release, reached, settings.soakMinutes)
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
  const names = await deviceNames(
    store.db,
    worst.map(({ deviceId }) => deviceId),
  )
  return worst.map(({ deviceId: id, runs, failures, denials }) => ({
    id,
    name: names.get(id)?.name ?? '',
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

/** The state for the next round, for display. */
export async function evidenceOf({ records, now }: Team, release: ReleaseRow): Promise<Evidence> {
  const db = records.reader
  const { failureLimit, denialLimit: limit } = await settingsIn(db)
  const [older] = await releasesOut(db, { below: release.number })
  const { shown, devices } = await reachedBy(db, release, now())
  const before = older ? await shownFor(db, older.number) : []
  return {
    ...ratesOf(shown, devices),
    runsNeeded: ENOUGH_RUNS,
    denialLimit: denialLimit(before, { failure: failureLimit, denial: limit }),
    devicesNeeded: quorumOf(devices, countOf(shown)),
    devicesNeededAtOnce: fewestIn(devices),
  }
}
