// Judges by devices whether a release does harm: a device that fails ten thousand times, or claims to, counts once.
// Pure.

import type { DeviceEvidence } from '../store/evidence.js'

export interface Limits {
  readonly failure: number
  readonly denial: number
}

export interface Rates {
  readonly runs: number
  readonly failingDevices: number
  readonly denyingDevices: number
  /** Lower bounds, which little evidence keeps low, if enough devices contribute. */
  readonly failureRate: number
  readonly denialRate: number
}

export interface Halt {
  readonly reason: string
  /** Halts without waiting for the next round. */
  readonly atOnce: boolean
  /** The devices that cause it, the worst first. */
  readonly by: readonly DeviceEvidence[]
}

/** Further runs of one device do not count, unless there are too few devices. */
const WEIGHT = 10
export const ENOUGH_RUNS = 20
const QUORUM = 3
const FIRST = 5
/** The confidence: three standard deviations. */
const Z = 3

type Bad = 'failures' | 'denials'

/** `reached`: the devices that the release is for, whether or not they have it. */
export function ratesOf(shown: readonly DeviceEvidence[], reached: number): Rates {
  const quorum = quorumOf(reached, countOf(shown))
  const weigh = ({ runs }: DeviceEvidence) =>
    Math.min(runs, Math.max(WEIGHT, Math.ceil(ENOUGH_RUNS / reached)))
  const runs = sum(shown, weigh)
  const rate = (what: Bad): number => {
    // No device counts for more than the last one of the quorum: fewer devices prove nothing, however many failures
    // they have.
    const most = shareOf(nth(worstFirst(shown, what), quorum), what)
    return lowerBound(
      sum(shown, device => weigh(device) * Math.min(shareOf(device, what), most)),
      runs,
    )
  }
  return {
    runs,
    failingDevices: countOf(shown.filter(({ failures }) => failures > 0)),
    denyingDevices: countOf(shown.filter(({ denials }) => denials > 0)),
    failureRate: rate('failures'),
    denialRate: rate('denials'),
  }
}

export function judge(
  shown: readonly DeviceEvidence[],
  before: readonly DeviceEvidence[],
  reached: number,
  limits: Limits,
): Halt | null {
  const failed = shown.filter(({ runs, firstFailures }) => runs >= FIRST && firstFailures >= FIRST)
  if (failed.length >= fewestIn(reached)) {
    return {
      reason: `On ${count(failed.length)} every one of the first ${FIRST} runs failed`,
      atOnce: true,
      by: worstFirst(failed, 'failures'),
    }
  }
  const { runs, failureRate, denialRate } = ratesOf(shown, reached)
  if (runs < ENOUGH_RUNS) return null
  const passed = (what: Bad, rate: number, most: number, words: string): Halt | null => {
    if (rate <= most) return null
    const by = worstFirst(shown, what).filter(device => device[what] > 0)
    return {
      reason: `More than ${percent(rate)} of runs ${words} on ${count(by.length)}, and ${percent(most)} is the limit`,
      atOnce: false,
      by,
    }
  }
  return (
    passed('failures', failureRate, limits.failure, 'failed') ??
    passed('denials', denialRate, denialLimit(before, limits), 'were denied')
  )
}

/** More than half of a few, and at least three of many. */
export const fewestIn = (reached: number): number => Math.min(QUORUM, Math.floor(reached / 2) + 1)

/** Fewer devices are no reason to halt: the minimum, or a tenth of those with evidence. */
export const quorumOf = (reached: number, shown: number): number =>
  Math.max(fewestIn(reached), Math.ceil(shown / 10))

/**
 * Denials that were usual under the release before do not halt this one. The limit stays below 1, however usual they were,
 * so that enough runs can always exceed it; the more runs of the release before are known, the closer it may come to 1.
 */
export function denialLimit(before: readonly DeviceEvidence[], limits: Limits): number {
  const weigh = ({ runs }: DeviceEvidence) => Math.min(runs, WEIGHT)
  const denied = sum(before, device => weigh(device) * shareOf(device, 'denials'))
  const runs = sum(before, weigh)
  const usual = runs === 0 ? 0 : denied / runs
  return Math.max(limits.denial, Math.min(2 * usual, 1 - 0.5 / (runs + 2)))
}

const sum = (shown: readonly DeviceEvidence[], of: (device: DeviceEvidence) => number): number =>
  shown.reduce((total, device) => total + (device.devices ?? 1) * of(device), 0)
export const countOf = (shown: readonly DeviceEvidence[]): number => sum(shown, () => 1)

/** Counted from 1. */
function nth(shown: readonly DeviceEvidence[], place: number): DeviceEvidence | undefined {
  let count = 0
  return shown.find(device => {
    count += device.devices ?? 1
    return count >= place
  })
}

const shareOf = (device: DeviceEvidence | undefined, what: Bad): number =>
  device === undefined || device.runs === 0 ? 0 : device[what] / device.runs
const worstFirst = (shown: readonly DeviceEvidence[], what: Bad): readonly DeviceEvidence[] =>
  [...shown].sort((a, b) => shareOf(b, what) - shareOf(a, what) || b[what] - a[what])
const count = (devices: number): string => (devices === 1 ? '1 device' : `${devices} devices`)
const percent = (part: number): string => `${Math.round(part * 1000) / 10} %`

/** The lower bound of Wilson's interval for a share. */
export function lowerBound(hits: number, of: number): number {
  if (of === 0) return 0
  const share = hits / of
  const square = Z * Z
  const middle = share + square / (2 * of)
  const reach = Z * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))
  return Math.max(0, (middle - reach) / (1 + square / of))
}
