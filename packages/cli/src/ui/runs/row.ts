// The part of the log in memory: each event with the runs of its hooks, as far as lists, filters and counts need it.

import { isAbsolute } from 'node:path'
import type { RunRecord } from '@holdfast/hooks'
import { findEvent } from '@holdfast/hooks/protocol'
import { saidOf, toldBy } from '../../history.js'
import type { Place } from '../../log/tail.js'
import { aboutWords, shortCommand } from '../../print/words.js'
import { type Decision, decisionOf } from '../../replay/effect.js'

export interface RunRow {
  /** Increases with every run that is read; never reused. */
  readonly number: number
  readonly id: string
  readonly eventId: string | undefined
  /** When its event began; older logs only have the time of the record. */
  readonly at: string
  readonly timeMs: number
  readonly event: string
  readonly source: string
  /** Of the hook in its file: the same for all runs of one configured hook. */
  readonly key: string
  readonly line: number | null
  readonly hook: string
  /** Equal for all runs of one hook, whichever folder the workspace is in. */
  readonly group: string
  readonly verdict: RunVerdict
  /** Of the whole event. */
  readonly decision: Decision
  readonly subject: string
  /** Subject and message in lower case, for searches. */
  readonly text: string
  readonly durationMs: number
  /** Of the complete event, if the log has it. */
  readonly eventMs: number | undefined
  readonly conversationId: string
  /** The conversation that started this one, if any. */
  readonly parentId: string
  readonly place: Place
}

/** An event with at least one run of a hook: one row of the page Runs. */
export interface EventRow {
  /** Grows with every event that is read. */
  readonly number: number
  /** Of its first run. */
  readonly id: string
  readonly rows: RunRow[]
}

export const RUN_VERDICTS = [
  'allow',
  'ask',
  'deny',
  'observed_deny',
  'failed_open',
  'failed',
  'none',
] as const
export type RunVerdict = (typeof RUN_VERDICTS)[number]

const LONGEST_SUBJECT = 300
const LONGEST_MESSAGE = 200

/** Texts that occur in thousands of rows are stored once, and short names of hooks are computed once. */
export interface TextPool {
  (text: string): string
  short(hook: string): string
}

export function createTextPool(): TextPool {
  const known = new Map<string, string>()
  const names = new Map<string, string>()
  const kept = (map: Map<string, string>, text: string, make: (text: string) => string) => {
    let found = map.get(text)
    if (found === undefined) {
      found = make(text)
      map.set(text, found)
    }
    return found
  }
  return Object.assign((text: string) => kept(known, text, same => same), {
    short: (hook: string) => kept(names, hook, shortCommand),
  })
}

export interface RowContext {
  readonly number: number
  readonly place: Place
  readonly pool: TextPool
  readonly roots: readonly string[]
}

export function toRow(record: RunRecord, { number, place, pool, roots }: RowContext): RunRow {
  const subject = truncate(aboutWords(record.request ?? {}) ?? '', LONGEST_SUBJECT)
  const told = truncate(toldBy(record), LONGEST_MESSAGE)
  const small = subject.toLowerCase()
  const at = record.event_started_at ?? record.time
  const eventMs = Date.parse(record.event_ended_at ?? '') - Date.parse(at)
  return {
    number,
    id: record.id,
    eventId: record.event_id === record.id ? record.id : record.event_id,
    at,
    timeMs: Date.parse(at),
    event: pool(record.event),
    source: pool(String(record.source)),
    key: pool(hookKey(record.event, record.file, record.hook)),
    line: record.line,
    hook: pool.short(String(record.hook)),
    group: pool(groupOf(record, roots)),
    verdict: verdictOf(record),
    decision: decisionOf(record.verdict ?? {}),
    subject,
    text: told === '' ? (small === subject ? subject : small) : `${small}\n${told.toLowerCase()}`,
    durationMs: Number.isFinite(record.duration_ms) ? record.duration_ms : 0,
    eventMs: eventMs >= 0 ? eventMs : undefined,
    conversationId: pool(record.conversation_id ?? ''),
    parentId: pool(parentOf(record)),
    place,
  }
}

/** A hook of a team has a number. Others are identified by source and command, with paths relative to the workspace. */
export function groupOf(
  { hook_id, source, hook, file }: Pick<RunRecord, 'hook_id' | 'source' | 'hook' | 'file'>,
  roots: readonly string[],
): string {
  if (hook_id !== undefined) return `${source} ${hook_id}`
  const relative = (text: string) =>
    roots.reduce((short, root) => short.replaceAll(`${root}/`, './').replaceAll(`${root}\\`, './'), text)
  const isOther = source === 'project' && file !== null && isAbsolute(file) && relative(file) === file
  return [source, ...(isOther ? [file] : []), relative(hook).replaceAll('././', './')].join(' ')
}

/** The event with which a subagent begins names the conversation that starts it, which is the one it belongs to. */
export function parentOf({ event, conversation_id: own, request }: RunRecord): string {
  const trace = findEvent(event)?.trace
  if (trace?.kind === 'subagent' && trace.part === 'begins') return ''
  const parent = request?.parent_conversation_id
  return typeof parent === 'string' && parent !== own ? parent : ''
}

export const hookKey = (event: string, file: string | null, hook: string): string =>
  `${event}\0${file ?? ''}\0${hook}`

/** The result of one run. In audit mode only a denial is shown; an event that was denied did not proceed. */
export function verdictOf(record: RunRecord): RunVerdict {
  const observes = record.mode === 'observe'
  if (record.outcome === 'failed') {
    const wentThrough = record.failed_open && !observes && decisionOf(record.verdict ?? {}) !== 'deny'
    return wentThrough ? 'failed_open' : 'failed'
  }
  if (observes) return record.would === 'deny' ? 'observed_deny' : 'none'
  return saidOf(record) ?? 'none'
}

/** The most urgent result comes last. A denial that did not decide the event does not count as one. */
const ATTENTION: readonly RunVerdict[] = ['none', 'allow', 'observed_deny', 'failed', 'ask', 'failed_open']

/** The result of the complete event: its denial, or the most urgent result in it. */
export function verdictOfAll({ rows }: EventRow): RunVerdict {
  const [{ decision }] = rows as [RunRow]
  if (decision === 'deny') return 'deny'
  const all = [decision, ...rows.map(({ verdict }) => verdict)]
  return ATTENTION[Math.max(...all.map(verdict => ATTENTION.indexOf(verdict)))]!
}

/** The time that the host waited: hooks of one event mostly run at the same time. */
export const durationOf = ({ rows }: EventRow): number =>
  rows[0]!.eventMs ?? Math.max(0, ...rows.map(({ durationMs }) => durationMs))

export function toSummary(occurrence: EventRow) {
  const { id, rows } = occurrence
  const [first] = rows as [RunRow]
  const verdict = verdictOfAll(occurrence)
  return {
    id,
    at: first.at,
    event: first.event,
    verdict,
    subject: first.subject,
    durationMs: durationOf(occurrence),
    conversationId: first.conversationId,
    // The hook that decided comes first.
    hooks: rows
      .toSorted((a, b) => Number(b.verdict === verdict) - Number(a.verdict === verdict))
      .map(row => ({
        id: row.id,
        hook: row.hook,
        source: row.source,
        verdict: row.verdict,
        group: row.group,
      })),
  }
}

/** Without a partial character at its end. */
export const truncate = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text
