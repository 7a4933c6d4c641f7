// Whether a release does harm, judged by devices: one that fails ten thousand times, or says so, is one device. Pure.

/** What one device showed of a release. */
export interface Shown {
  readonly deviceId: string
  readonly runs: number
  readonly failures: number
  readonly denials: number
  /** Failures among its first five runs. */
  readonly firstFailures: number
}

export interface Limits {
  readonly failure: number
  readonly denial: number
}

export interface Rates {
  readonly runs: number
  readonly failingDevices: number
  readonly denyingDevices: number
  /** Lower bounds, which little evidence keeps low, as far as enough devices show them. */
  readonly failureRate: number
  readonly denialRate: number
}

export interface Halt {
  readonly reason: string
  /** Without waiting for the next look. */
  readonly atOnce: boolean
  /** Those who showed it, the worst first. */
  readonly by: readonly Shown[]
}

/** More of one device does not count, unless there are too few to show enough. */
const WEIGHT = 10
export const ENOUGH_RUNS = 20
const QUORUM = 3
const FIRST = 5
/** How sure: three standard deviations. */
const Z = 3

type Bad = 'failures' | 'denials'

/** `reached`: the devices that the release is for, whether they have it already or not. */
export function ratesOf(shown: readonly Shown[], reached: number): Rates {
  const quorum = quorumOf(reached, shown.length)
  const weigh = ({ runs }: Shown) => Math.min(runs, Math.max(WEIGHT, Math.ceil(ENOUGH_RUNS / reached)))
  const runs = shown.reduce((sum, device) => sum + weigh(device), 0)
  const rate = (what: Bad): number => {
    // Nobody counts for more than the last one of those that it takes: fewer show nothing, however bad they are.
    const most = shareOf(worstFirst(shown, what)[quorum - 1], what)
    const bad = shown.reduce((sum, device) => sum + weigh(device) * Math.min(shareOf(device, what), most), 0)
    return lowerBound(bad, runs)
  }
  return {
    runs,
    failingDevices: shown.filter(({ failures }) => failures > 0).length,
    denyingDevices: shown.filter(({ denials }) => denials > 0).length,
    failureRate: rate('failures'),
    denialRate: rate('denials'),
  }
}

export function judge(
  shown: readonly Shown[],
  before: readonly Shown[],
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

/** More than half of a few, and three of many. */
export const fewestIn = (reached: number): number => Math.min(QUORUM, Math.floor(reached / 2) + 1)

/** On fewer devices nothing is a reason: the fewest, or a tenth of those that have shown anything. */
export const quorumOf = (reached: number, shown: number): number =>
  Math.max(fewestIn(reached), Math.ceil(shown / 10))

/**
 * Denials that were usual under the release before do not halt this one. The limit stays below 1, however usual they were,
 * so that enough runs can always exceed it; the more runs of the release before are known, the closer it may come to 1.
 */
export function denialLimit(before: readonly Shown[], limits: Limits): number {
  const weigh = ({ runs }: Shown) => Math.min(runs, WEIGHT)
  const denied = before.reduce((sum, device) => sum + weigh(device) * shareOf(device, 'denials'), 0)
  const runs = before.reduce((sum, device) => sum + weigh(device), 0)
  const usual = runs === 0 ? 0 : denied / runs
  return Math.max(limits.denial, Math.min(2 * usual, 1 - 0.5 / (runs + 2)))
}

const shareOf = (device: Shown | undefined, what: Bad): number =>
  device === undefined || device.runs === 0 ? 0 : device[what] / device.runs
const worstFirst = (shown: readonly Shown[], what: Bad): readonly Shown[] =>
  [...shown].sort((a, b) => shareOf(b, what) - shareOf(a, what) || b[what] - a[what])
const count = (devices: number): string => (devices === 1 ? '1 device' : `${devices} devices`)
const percent = (part: number): string => `${Math.round(part * 1000) / 10} %`

/** The lower end of Wilson's interval for a share that was seen so many times out of so many. */
export function lowerBound(hits: number, of: number): number {
  if (of === 0) return 0
  const share = hits / of
  const square = Z * Z
  const middle = share + square / (2 * of)
  const reach = Z * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))
  return Math.max(0, (middle - reach) / (1 + square / of))
}
