// The background refresh: one process for all teams of a user. login and sync start it, and so does an agent's event if
// the process is gone.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Part of the bundle; loaded when needed. */
const openRefresh = () => import('@holdfast/hosts/team')

export async function isRunning(home: string): Promise<boolean> {
  const { isAlive, refreshOf } = await openRefresh()
  return isAlive(refreshOf(home))
}

/** Starts it unless it runs, and enables restarts. */
export async function startBackground(home: string): Promise<void> {
  const { isAlive, refreshOf, start } = await openRefresh()
  const { wanted } = refreshOf(home)
  const words = [process.execPath, process.argv[1]!, 'team', 'watch', '--home', home] as const
  mkdirSync(dirname(wanted), { recursive: true, mode: 0o700 })
  writeFileSync(wanted, `${JSON.stringify({ start: words })}\n`, { mode: 0o600 })
  if (!isAlive(refreshOf(home))) await start(home, words)
}

/** Disables restarts: the last team was left, or another program runs the refresh. */
export async function forgetBackground(home: string): Promise<void> {
  const { refreshOf } = await openRefresh()
  rmSync(refreshOf(home).wanted, { force: true })
}

export const lockFile = async (home: string): Promise<string> => {
  const { lock } = (await openRefresh()).refreshOf(home)
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 })
  return lock
}
