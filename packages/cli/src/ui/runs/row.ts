// What is kept in memory of one run: enough for a list, for filters and for sums. The rest stays in the log.

import type { Place, RunRecord } from '@holdfast/hooks'
import { findEvent } from '@holdfast/hooks/protocol'
import type { RunSummary } from '@holdfast/web/panel'
import { saidOf, toldBy } from '../../history.js'
import { aboutWords, shortCommand } from '../../print/words.js'

export interface Row {
  /** Grows with every run that is read; never used twice. */
  readonly number: number
  readonly id: string
  readonly eventId: string | undefined
  readonly at: string
  readonly timeMs: number
  readonly event: string
  readonly source: string
  /** Of the hook in its file: the same for all runs of one configured hook. */
  readonly key: string
  readonly line: number | null
  readonly hook: string
  readonly verdict: RunVerdict
  readonly subject: string
  /** Subject and message, in small letters: what a search looks at. */
  readonly text: string
  readonly durationMs: number
  readonly exitCode: number | null
  readonly conversationId: string
  /** The conversation that this one was started by, if another one did. */
  readonly parentId: string
  readonly observed: boolean
  readonly place: Place
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

/** Words that stand in thousands of rows are kept once, as are short names of hooks. */
export interface Once {
  (text: string): string
  short(hook: string): string
}

export function onceEach(): Once {
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

export function toRow(record: RunRecord, place: Place, number: number, once: Once): Row {
  const subject = beginning(aboutWords(record.request ?? {}) ?? '', LONGEST_SUBJECT)
  const told = beginning(toldBy(record), LONGEST_MESSAGE)
  const small = subject.toLowerCase()
  return {
    number,
    id: record.id,
    eventId: record.event_id === record.id ? record.id : record.event_id,
    at: record.time,
    timeMs: Date.parse(record.time),
    event: once(record.event),
    source: once(String(record.source)),
    key: once(hookKey(record.event, record.file, record.hook)),
    line: record.line,
    hook: once.short(String(record.hook)),
    verdict: verdictOf(record),
    subject,
    text: told === '' ? (small === subject ? subject : small) : `${small}\n${told.toLowerCase()}`,
    durationMs: Number.isFinite(record.duration_ms) ? record.duration_ms : 0,
    exitCode: record.exit_code ?? null,
    conversationId: once(record.conversation_id ?? ''),
    parentId: once(parentOf(record)),
    observed: record.mode === 'observe',
    place,
  }
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

/** What a run came to. Of who only observes, that it would have denied is worth a word; the rest had no effect. */
export function verdictOf(record: RunRecord): RunVerdict {
  if (record.outcome === 'failed')
    return record.failed_open && record.mode !== 'observe' ? 'failed_open' : 'failed'
  if (record.mode === 'observe') return record.would === 'deny' ? 'observed_deny' : 'none'
  return saidOf(record) ?? 'none'
}

export const toSummary = (row: Row): Omit<RunSummary, '$typeName'> => ({
  id: row.id,
  eventId: row.eventId ?? '',
  at: row.at,
  event: row.event,
  hook: row.hook,
  source: row.source,
  verdict: row.verdict,
  subject: row.subject,
  durationMs: row.durationMs,
  ...(row.exitCode === null ? {} : { exitCode: row.exitCode }),
  conversationId: row.conversationId,
  observed: row.observed,
})

/** Without half a character at its end. */
export const beginning = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text
