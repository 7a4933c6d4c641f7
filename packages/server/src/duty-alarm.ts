// Logs a warning if no server has done a duty for a long time: then nothing halts releases, removes old records or adds
// up figures.

import { MINUTE_MS } from './durations.js'
import { listDuties } from './store/duties.js'
import type { Team } from './team.js'

/** Several times the interval of each. */
const LATE_MS: Readonly<Record<string, number>> = {
  'rollout-monitor': 5 * MINUTE_MS,
  fold: 5 * MINUTE_MS,
  otlp: 5 * MINUTE_MS,
  retention: 180 * MINUTE_MS,
}

export interface DutyAlarm {
  look(): Promise<void>
  stop(): void
}

export function startDutyAlarm(team: Team, everyMs = MINUTE_MS): DutyAlarm {
  const late = new Set<string>()
  const look = async () => {
    for (const { name, agoMs, isHeld } of await listDuties(team.store)) {
      const isLate = agoMs > (LATE_MS[name] ?? Number.POSITIVE_INFINITY)
      if (isLate === late.has(name)) continue
      if (isLate) {
        late.add(name)
        team.log.warn('a duty was not done for a long time', {
          duty: name,
          minutes: Math.floor(agoMs / MINUTE_MS),
          isHeld,
        })
      } else {
        late.delete(name)
        team.log.info('a duty is done again', { duty: name })
      }
    }
  }
  const timer = setInterval(() => {
    look().catch(error => team.log.warn('duties could not be read', { error: (error as Error).message }))
  }, everyMs).unref()
  return { look, stop: () => clearInterval(timer) }
}
