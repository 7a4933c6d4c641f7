// The progress and the failures of a release, ring by ring.

import { ENROLLED, ringIn, type StateRules } from '../store/device-states.js'
import { findEvidence } from '../store/evidence.js'
import { countLive, type LiveCount } from '../store/live.js'
import type { Db } from '../store/open.js'
import { hasMembers } from '../store/rings.js'
import { ENOUGH_RUNS, ratesOf } from './evidence.js'
import { type DeviceProgress, progressOf } from './live.js'

export interface RingState {
  readonly ring: string
  readonly devices: number
  readonly progress: DeviceProgress
  readonly runs: number
  readonly failures: number
  readonly denials: number
  readonly failingDevices: number
  readonly failureRate: number
  readonly denialRate: number
}

/** `newest`: the counts by the rings of the newest release. */
export async function healthOf(
  db: Db,
  release: number,
  rules: StateRules,
  newest: readonly LiveCount[],
): Promise<RingState[]> {
  const { rings } = rules
  const known = rules.releases.find(({ number }) => number === release)
  const ruled = {
    number: release,
    state: known?.state ?? '',
    ring: known?.ring ?? 0,
    // The rules name the members of active rollouts only.
    hasMembers: await hasMembers(db, release),
  }
  const ring = ringIn(
    ruled,
    rings.map(({ share }) => share),
  )
  const [counts, evidence] = await Promise.all([
    release === rules.releases[0]?.number ? newest : countLive(db, rules, ruled),
    findEvidence(db, { release, mostRuns: ENOUGH_RUNS, where: ENROLLED, ring }),
  ])
  return rings.map(({ name }, index) => {
    const seen = evidence.filter(row => row.ring === index)
    const sum = (key: 'allRuns' | 'failures' | 'denials') => seen.reduce((total, row) => total + row[key], 0)
    const here = counts.filter(({ ring }) => ring === index)
    const devices = here.reduce((total, row) => total + row.devices, 0)
    const { failingDevices, failureRate, denialRate } = ratesOf(seen, devices)
    return {
      ring: name,
      devices,
      progress: progressOf(release, here),
      runs: sum('allRuns'),
      failures: sum('failures'),
      denials: sum('denials'),
      failingDevices,
      failureRate,
      denialRate,
    }
  })
}
