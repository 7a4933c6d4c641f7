// Measures work instead of time, because other load on the machine hardly changes it.

/** Milliseconds of CPU time that this process spends on it. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
