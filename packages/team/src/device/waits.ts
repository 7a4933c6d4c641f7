// How long to wait, so that ten thousand devices never come at once. Each takes its chance from 0 to 1.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A stream is dead that has been silent for so long: the server speaks every 15 seconds. */
export const SILENCE_MS = 45 * SECOND
/** A stream that ends earlier does not count as one that works. */
export const EARLY_MS = 60 * SECOND
export const EARLY_ENDS = 3
/** How long streams are left alone where they always end early. */
export const WITHOUT_STREAM_MS = 6 * HOUR

const around = (ms: number, chance: number) => Math.round(ms * (0.8 + 0.4 * chance))

/** Streams bring changes at once; polls are for what they miss. */
export const pollWait = (chance: number, hasStream: boolean): number =>
  around(hasStream ? 30 * MINUTE : 5 * MINUTE, chance)

/** Full jitter: 1 s, doubling up to 5 min. */
export const backOff = (attempt: number, chance: number): number =>
  chance * Math.min(5 * MINUTE, SECOND * 2 ** Math.min(attempt, 20))

/** When a server restarts all of its devices notice in the same moment. */
export const afterLoss = (chance: number): number => chance * 30 * SECOND

export const firstWait = (chance: number): number => chance * MINUTE

export const sendWait = (chance: number): number => around(MINUTE, chance)

/** The server says how far a change may be spread out. */
export const spread = (ms: number, chance: number): number => chance * Math.min(Math.max(ms, 0), MINUTE)
