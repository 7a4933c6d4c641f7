// Delays that prevent a hundred thousand devices from calling at once. `chance` is random, from 0 to 1.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Below the minute after which proxies cut off a call without a response. */
export const HOLD_SECONDS = 50
/** A server that responds earlier without a change did not hold the poll. */
export const EARLY_MS = 20 * SECOND
export const MOST_EARLY = 3
/** How long a device only polls if held polls always end early. */
export const WITHOUT_HOLD_MS = 6 * HOUR

const around = (ms: number, chance: number) => Math.round(ms * (0.8 + 0.4 * chance))

/** A held poll delivers changes at once; a complete sync finds what it misses. */
export const pollWait = (chance: number, isHeld: boolean): number =>
  around(isHeld ? 30 * MINUTE : 5 * MINUTE, chance)

/** Full jitter: 1 s, doubling up to 5 min. */
export const backOff = (attempt: number, chance: number): number =>
  chance * Math.min(5 * MINUTE, SECOND * 2 ** Math.min(attempt, 20))

/** All devices of a server notice its restart at the same moment. */
export const afterLoss = (chance: number): number => chance * 30 * SECOND

export const firstWait = (chance: number): number => chance * MINUTE

export const sendWait = (chance: number): number => around(MINUTE, chance)
