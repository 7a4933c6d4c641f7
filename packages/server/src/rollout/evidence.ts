// Whether a release does harm, judged by devices: one broken laptop that fails ten thousand times is one laptop. Pure.

/** What one device showed of a release. */
export interface Shown {
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
  /** Lower bounds, which little evidence keeps low. */
  readonly failureRate: number
  readonly denialRate: number
}

export type Judgement = { readonly halt: string; readonly atOnce: boolean } | { readonly halt: null }

/** More of one device does not count. */
const WEIGHT = 10
const FEWEST_RUNS = 20
const QUORUM = 3
const FIRST = 5
/** How sure: three standard deviations. */
const Z = 3

export function ratesOf(shown: readonly Shown[]): Rates {
  let runs = 0
  let failures = 0
  let denials = 0
  let failingDevices = 0
  for (const device of shown) {
    if (device.runs === 0) continue
    const weight = Math.min(device.runs, WEIGHT)
    runs += weight
    failures += (weight * device.failures) / device.runs
    denials += (weight * device.denials) / device.runs
    if (device.failures > 0) failingDevices++
  }
  return {
    runs,
    failingDevices,
    failureRate: lowerBound(failures, runs),
    denialRate: lowerBound(denials, runs),
  }
}

export function judge(
  shown: readonly Shown[],
  before: readonly Shown[],
  ringSize: number,
  limits: Limits,
): Judgement {
  const quorum = quorumOf(ringSize)
  const failedFromStart = shown.filter(
    ({ runs, firstFailures }) => runs >= FIRST && firstFailures >= FIRST,
  ).length
  if (failedFromStart >= Math.min(QUORUM, Math.max(1, Math.ceil(ringSize / 2)))) {
    return {
      halt: `on ${failedFromStart} ${failedFromStart === 1 ? 'device' : 'devices'} every one of the first ${FIRST} runs failed`,
      atOnce: true,
    }
  }
  const rates = ratesOf(shown)
  if (rates.runs < FEWEST_RUNS) return { halt: null }
  if (rates.failingDevices >= quorum && rates.failureRate > limits.failure) {
    return {
      halt: `more than ${percent(rates.failureRate)} of runs failed, and ${percent(limits.failure)} is the limit`,
      atOnce: false,
    }
  }
  const denying = denyingIn(shown)
  const most = denialLimit(before, limits)
  if (denying >= quorum && rates.denialRate > most) {
    return {
      halt: `more than ${percent(rates.denialRate)} of runs were denied, and ${percent(most)} is the limit`,
      atOnce: false,
    }
  }
  return { halt: null }
}

/** On fewer devices nothing is a reason. */
export const quorumOf = (ringSize: number): number =>
  ringSize < QUORUM ? Math.max(1, ringSize) : Math.max(QUORUM, Math.ceil(ringSize * 0.1))

export const denyingIn = (shown: readonly Shown[]): number =>
  shown.filter(({ denials }) => denials > 0).length

/** What was usual before is no harm of this release. */
export function denialLimit(before: readonly Shown[], limits: Limits): number {
  const usual = upperBound(
    before.reduce((sum, device) => sum + weighted(device), 0),
    before.reduce((sum, { runs }) => sum + Math.min(runs, WEIGHT), 0),
  )
  return Math.max(limits.denial, 2 * usual)
}

const weighted = ({ runs, denials }: Shown): number =>
  runs === 0 ? 0 : (Math.min(runs, WEIGHT) * denials) / runs
const percent = (part: number): string => `${Math.round(part * 1000) / 10} %`

/** Wilson's interval for a share that was seen so many times out of so many. */
export const lowerBound = (hits: number, of: number): number =>
  of === 0 ? 0 : Math.max(0, wilson(hits, of, -Z))
export const upperBound = (hits: number, of: number): number =>
  of === 0 ? 0 : Math.min(1, wilson(hits, of, Z))

function wilson(hits: number, of: number, z: number): number {
  const share = hits / of
  const square = z * z
  const middle = share + square / (2 * of)
  const reach = z * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))
  return (middle + reach) / (1 + square / of)
}
