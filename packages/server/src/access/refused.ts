// Rejected calls, for administrators. Unauthenticated callers cause these, so they are separate from the audit log and
// limited: rejected calls cannot fill a disk or slow down the team.

import { MINUTE_MS } from '../durations.js'
import { insertRefused } from '../store/refused-calls.js'
import type { Team } from '../team.js'
import { DelayedWork } from './later.js'

const SOON_MS = 1_000
const MOST_IN_A_MINUTE = 100
const LONGEST = 300

export interface Refused {
  note(what: string, who: string, detail: string): void
  flush(): Promise<void>
}

export function openRefused({ store: { db }, now, log }: Team): Refused {
  let minute = 0
  let inMinute = 0
  let dropped = 0
  let waiting: { at: number; what: string; who: string; detail: string }[] = []
  const later = new DelayedWork(SOON_MS, async () => {
    const rows = waiting
    waiting = []
    try {
      if (rows.length > 0) await insertRefused(db, rows)
    } catch (error) {
      log.warn('refused calls could not be written', { error: (error as Error).message, lost: rows.length })
    }
  })
  return {
    note(what, who, detail) {
      const at = now()
      const current = Math.floor(at / MINUTE_MS)
      if (current !== minute) {
        if (dropped > 0) log.warn('more calls were refused than are kept', { dropped })
        minute = current
        inMinute = 0
        dropped = 0
      }
      if (++inMinute > MOST_IN_A_MINUTE) return void dropped++
      waiting.push({ at, what: cut(what), who: cut(who), detail: cut(detail) })
      later.soon()
    },
    flush: () => later.now(),
  }
}

const cut = (text: string): string => text.replace(/[\0-\x1f\x7f]+/g, ' ').slice(0, LONGEST)
