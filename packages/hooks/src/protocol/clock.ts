/**
 * Milliseconds since the process began, for measuring durations. Like performance.now(), which loads modules for a
 * millisecond when it is first used.
 */
export const clockMs = (): number => process.uptime() * 1000
