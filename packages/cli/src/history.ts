// Past runs of configured hooks, from the log.

import type { RunRecord } from '@holdfast/hooks'
import { findEvent, type HookDefinition, type Permission } from '@holdfast/hooks/protocol'
import { readRecords } from './log/records.js'
import { oneLine } from './print/text.js'
import { mainLine } from './print/words.js'

/** Covers most hooks, and is read in a moment. */
const LOOK_BACK = 2000

export interface History {
  lastRunOf(hook: HookDefinition): RunRecord | undefined
}

/**
 * Matched by command, file and event. Lines change when a file is edited, so they only matter where a command occurs
 * twice.
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

/** The result of a recorded run, in one or two words. */
export const recordWord = (record: RunRecord): string =>
  record.mode === 'observe' ? 'observes' : saidWord(record)

/** The decision of the hook, whether or not it had an effect. */
export function saidWord(record: RunRecord): string {
  if (record.outcome === 'failed') return record.failed_open ? 'failed open' : 'failed'
  if (record.outcome === 'silent') return 'silent'
  const said = saidOf(record)
  if (said) return said
  const isGate = findEvent(record.event)?.gate !== 'none'
  return isGate || Object.keys(record.response ?? {}).length === 0 ? 'no decision' : 'answered'
}

/** Undefined if it made no decision. */
export function saidOf({ permission, response }: RunRecord): Permission | undefined {
  if (permission) return permission
  if (typeof response?.continue !== 'boolean') return undefined
  return response.continue ? 'allow' : 'deny'
}

/** Its message, or why it failed. */
export function toldBy({ outcome, exit_code, failure, message, stderr, response }: RunRecord): string {
  if (outcome === 'failed') {
    const head = failure === 'run/exit' ? `exit ${exit_code}` : oneLine(message ?? '').replace(/\.$/, '')
    return [head, mainLine(stderr)].filter(part => part !== '').join(': ')
  }
  const said = response?.user_message ?? response?.agent_message
  return typeof said === 'string' && said !== '' ? `"${oneLine(said)}"` : ''
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
