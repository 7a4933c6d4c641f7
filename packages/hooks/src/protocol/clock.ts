/**
 * Milliseconds since the process began, for measuring how long something takes. Like performance.now(), which loads
 * a millisecond's worth of modules when it is first used.
 */
export const clockMs = (): number => process.uptime() * 1000
