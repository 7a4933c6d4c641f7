// What the log knows about configured hooks.

import { type RunRecord, readRecords } from '@holdfast/hooks'
import { findEvent, type HookDefinition } from '@holdfast/hooks/protocol'

/** Enough to know most hooks, and read in a moment. */
const LOOK_BACK = 2000

export interface History {
  lastRunOf(hook: HookDefinition): RunRecord | undefined
}

/**
 * The same command of the same file for the same event. Lines move when a file is edited, so they only matter
 * where a command stands twice.
 */
export function readHistory(logFile: string, hooks: readonly HookDefinition[]): History {
  const latest = new Map<string, RunRecord>()
  for (const record of readRecords(logFile, { limit: LOOK_BACK }).records) {
    latest.set(keyOf(record.event, record.file, record.hook), record)
    latest.set(keyOf(record.event, record.file, record.hook, record.line), record)
  }
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const hook of hooks) {
    const key = keyOf(hook.event, hook.file, hook.name)
    if (seen.has(key)) twice.add(key)
    seen.add(key)
  }
  return {
    lastRunOf({ event, file, name, line }) {
      const key = keyOf(event, file, name)
      return latest.get(twice.has(key) ? keyOf(event, file, name, line) : key)
    },
  }
}

const keyOf = (...parts: readonly (string | number | null)[]) => JSON.stringify(parts)

/** What a recorded run came to, in one word or two. */
export const recordWord = (record: RunRecord): string =>
  record.mode === 'observe' ? 'observes' : saidWord(record)

/** What it said, whether it was heard or not. */
export function saidWord(record: RunRecord): string {
  if (record.outcome === 'failed') return record.failed_open ? 'failed open' : 'failed'
  if (record.outcome === 'silent') return 'silent'
  if (record.permission) return record.permission
  if (record.response?.continue === false) return 'deny'
  if (record.response?.continue === true) return 'allow'
  const isGate = findEvent(record.event)?.gate !== 'none'
  return isGate || Object.keys(record.response ?? {}).length === 0 ? 'no opinion' : 'answered'
}

/** "just now", "5 minutes ago", "3 days ago". */
export function ago(time: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000)
  if (!(seconds >= 60)) return 'just now'
  const [size, unit] = UNITS.find(([each]) => seconds >= each) ?? [60, 'minute']
  const number = Math.floor(seconds / size)
  return `${number} ${unit}${number === 1 ? '' : 's'} ago`
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]
