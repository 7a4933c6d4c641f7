// Starts the daemon of this user, detached from the caller, at most once in a while.

import { closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { daemonLog, openRunFolder, placeProblem } from './place.js'

/** Of this bundle. */
declare const __dirname: string

/** A daemon that ends at once is not started at each event. */
const PAUSE_MS = 10_000
const LARGEST_LOG = 1024 * 1024

/** What a desktop notification and the start of hooks need; callers send all other variables with each call. */
const PASSED =
  /^(?:HOME|PATH|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR)$/

/** Small pools: a daemon allocates little, keeps less, and one of each is in memory for each user. */
const MEMORY = { options: ['--max-semi-space-size=1'], env: { MALLOC_ARENA_MAX: '2' } }

export const ownScript = (): string => join(__dirname, '..', 'bin', 'holdfast.cjs')

/** Never throws: the agent has its response, and each event works without a daemon. */
export async function startDaemon(home: string, options: readonly string[] = []): Promise<boolean> {
  try {
    // With another home folder the caller tests something.
    if (placeProblem(home) !== undefined || home !== homedir()) return false
    const folder = openRunFolder(home)
    const mark = join(folder, 'started')
    const age = Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    // A clock that was set back must not keep the daemon from starting.
    if (options.length === 0 && age >= 0 && age < PAUSE_MS) return false
    writeFileSync(mark, '', { mode: 0o600 })
    const log = daemonLog(home)
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_LOG) renameSync(log, `${log}.1`)
    const out = openSync(log, 'a', 0o600)
    try {
      const { spawn } = await import('node:child_process')
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)))
      const child = spawn(process.execPath, [...MEMORY.options, ownScript(), 'daemon', 'run', ...options], {
        detached: true,
        stdio: ['ignore', out, out],
        cwd: '/',
        env: { ...env, ...MEMORY.env },
      })
      child.on('error', () => {})
      child.unref()
    } finally {
      closeSync(out)
    }
    return true
  } catch {
    return false
  }
}
