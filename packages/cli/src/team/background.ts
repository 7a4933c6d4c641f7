// The refresh that goes on when no command runs: one process for all teams of a person, started by login and by whatever
// finds that it is gone.

import { spawn } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ownProgram } from '../own-program.js'

/** Touched while it lives. */
const BEAT_MS = 10_000
const DEAD_MS = 35_000

export const beatFile = (home: string): string => join(home, '.holdfast', 'team-watch')
export const watchLog = (home: string): string => join(home, '.holdfast', 'log', 'team.log')

export function isRunning(home: string): boolean {
  const stats = statSync(beatFile(home), { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs < DEAD_MS
}

/** Starts it unless it runs. It outlives this process, and says what it has to say in its log. */
export function startBackground(home: string): boolean {
  if (isRunning(home)) return false
  mkdirSync(join(home, '.holdfast', 'log'), { recursive: true, mode: 0o700 })
  const log = openSync(watchLog(home), 'a', 0o600)
  try {
    const [file, ...args] = ownProgram()
    const child = spawn(file!, [...args, 'team', 'watch', '--home', home], {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: home,
      env: { ...process.env, NO_COLOR: '1' },
    })
    child.on('error', () => {})
    child.unref()
  } finally {
    closeSync(log)
  }
  return true
}

export interface Beat {
  stop(): void
}

/** Null when another one runs already. */
export function beat(home: string): Beat | null {
  const file = beatFile(home)
  mkdirSync(join(home, '.holdfast'), { recursive: true, mode: 0o700 })
  if (isRunning(home)) return null
  const own = `${process.pid}\n`
  writeFileSync(file, own, { mode: 0o600 })
  const timer = setInterval(() => {
    try {
      const now = new Date()
      utimesSync(file, now, now)
    } catch {
      // taken away: this one is not wanted any more
      process.kill(process.pid, 'SIGTERM')
    }
  }, BEAT_MS)
  return {
    stop() {
      clearInterval(timer)
      try {
        if (readFileSync(file, 'utf8') === own) rmSync(file)
      } catch {
        // it is gone
      }
    },
  }
}
