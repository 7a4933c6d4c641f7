// Starts the background refresh of this machine's teams again if one is enabled and none is running. The check costs
// one stat on a machine without a team, and two or three on one with.

import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'

/** A program and its arguments. */
export type Words = readonly [string, ...string[]]

/** The file that describes the refresh of a home. */
export interface Refresh {
  /** Enabled, with its start command: present from login until the last team is left. */
  readonly wanted: string
  /** Held and touched by the running process. */
  readonly lock: string
  readonly log: string
}

export function refreshOf(home: string): Refresh {
  const at = (name: string) => join(home, '.holdfast', name)
  return { wanted: at('team-refresh.json'), lock: at('team-refresh.lock'), log: at('log/team.log') }
}

/** The holder touches its lock each second; after this time without a touch it is dead or suspended. */
const STALE_MS = 20_000
/** Limits restarts of a process that keeps failing. */
const SLOT_MS = 5 * 60_000

/** True if a refresh was started. Never throws, because an agent waits for the result. */
export async function revive(home: string, now = Date.now()): Promise<boolean> {
  try {
    const refresh = refreshOf(home)
    if (!statSync(refresh.wanted, { throwIfNoEntry: false })) return false
    if (isAlive(refresh, now) || !isFirst(join(home, '.holdfast'), Math.floor(now / SLOT_MS))) return false
    const words = wordsOf(refresh.wanted)
    if (words) await start(home, words)
    return words !== undefined
  } catch {
    return false
  }
}

/** It outlives this process and writes to its log. */
export async function start(home: string, [file, ...args]: Words): Promise<void> {
  const { log } = refreshOf(home)
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  // Loaded here only, because it takes longer than everything else.
  const { spawn } = await import('node:child_process')
  const out = openSync(log, 'a', 0o600)
  try {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = spawn(file, args, { detached: true, stdio: ['ignore', out, out], cwd: home, env })
    child.on('error', () => {})
    child.unref()
  } finally {
    closeSync(out)
  }
}

export function isAlive({ lock }: Refresh, now = Date.now()): boolean {
  const stats = statSync(lock, { throwIfNoEntry: false })
  if (!stats || now - stats.mtimeMs > STALE_MS) return false
  try {
    const { pid, host } = JSON.parse(readFileSync(lock, 'utf8')) as { pid?: unknown; host?: unknown }
    // A home may be shared by several machines, and only processes of this one are known.
    if (typeof pid === 'number' && host === hostname()) process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Of all callers in the same few minutes, one gets true. */
function isFirst(folder: string, slot: number): boolean {
  const own = `team-refresh-${slot}`
  try {
    closeSync(openSync(join(folder, own), 'wx', 0o600))
  } catch {
    return false
  }
  for (const name of readdirSync(folder)) {
    if (/^team-refresh-\d+$/.test(name) && name !== own) rmSync(join(folder, name), { force: true })
  }
  return true
}

function wordsOf(file: string): Words | undefined {
  const { start } = JSON.parse(readFileSync(file, 'utf8')) as { start?: unknown }
  const isWords = Array.isArray(start) && start.length > 0 && start.every(word => typeof word === 'string')
  return isWords ? (start as [string, ...string[]]) : undefined
}
