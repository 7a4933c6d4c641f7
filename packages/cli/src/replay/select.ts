// Selects events of the log: of these projects, this session, this event, since a time; the last ones up to a limit.

import { realpathSync } from 'node:fs'
import type { Given } from '../arguments.js'
import { openLog } from '../log/records.js'
import { UsageError } from '../usage-error.js'
import { type Occurrence, occurrences, sessionOf } from './occurrences.js'

export interface Selected {
  /** Oldest first. */
  readonly events: readonly Occurrence[]
  /** Events of other projects that match otherwise. */
  readonly elsewhere: number
  /** Whether the limit left out older events. */
  readonly more: boolean
  readonly isEmpty: boolean
  readonly brokenLines: number
  readonly problem: string | null
}

export interface Selection {
  readonly session: string | undefined
  readonly event: string | undefined
  readonly since: number
  readonly limit: number
  /** Undefined: of every project. */
  readonly roots: readonly string[] | undefined
}

export function wantedOf(given: Given, roots: readonly string[]): Selection {
  const limit = given.value('limit')!
  if (!/^[1-9]\d{0,8}$/.test(limit)) {
    throw new UsageError(`--limit is "${limit}"; expected a whole number above 0.`)
  }
  return {
    session: given.value('session'),
    event: given.value('event'),
    since: sinceOf(given.value('since'), Date.now()),
    limit: Number(limit),
    roots: given.has('all') ? undefined : roots.map(realPath),
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** `2h`, `3d`, a day or a time. */
export function sinceOf(text: string | undefined, now: number): number {
  if (text === undefined) return Number.NEGATIVE_INFINITY
  const [, number, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (number !== undefined && unit !== undefined) return now - Number(number) * UNITS[unit]! * 1000
  // A day without a time begins at midnight, local time.
  const time = /^\d{4}-\d\d-\d\d/.test(text)
    ? Date.parse(text.length === 10 ? `${text}T00:00` : text)
    : Number.NaN
  if (Number.isFinite(time)) return time
  throw new UsageError(
    `--since is "${text}"; expected for example 30m, 2h, 3d, 2026-01-31 or 2026-01-31T09:00.`,
  )
}

export function select(logFile: string, wanted: Selection): Selected {
  const log = openLog(logFile)
  const events: Occurrence[] = []
  let elsewhere = 0
  let more = false
  let isEmpty = true
  for (const one of occurrences(log.each)) {
    isEmpty = false
    if (!fits(one, wanted)) continue
    if (wanted.roots && !isOf(one, wanted.roots)) elsewhere++
    else if (events.length < wanted.limit) events.push(one)
    else {
      more = true
      break
    }
  }
  const { skipped, problem } = log.status()
  return { events: events.reverse(), elsewhere, more, isEmpty, brokenLines: skipped, problem }
}

function fits(one: Occurrence, { session, event, since }: Selection): boolean {
  const [{ event: name, time }] = one.records
  if (event !== undefined && name !== event) return false
  if (session !== undefined && sessionOf(one) !== session) return false
  return since === Number.NEGATIVE_INFINITY || Date.parse(time) >= since
}

function isOf({ records: [{ request }] }: Occurrence, roots: readonly string[]): boolean {
  const own = request?.workspace_roots
  return Array.isArray(own) && own.some(root => typeof root === 'string' && roots.includes(realPath(root)))
}

const realPath = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
