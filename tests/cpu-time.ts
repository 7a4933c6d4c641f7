// Work instead of time: what a busy machine beside the tests does not change much.

/** Milliseconds of CPU time that this process spends on it. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
