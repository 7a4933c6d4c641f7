// The events of a conversation, derived from the runs of their hooks. An event without hooks is not in the log.

import type { RunRecord } from '@holdfast/hooks'
import { findEvent, findProfile, type Trace } from '@holdfast/hooks/protocol'
import { aboutWords } from '../../print/words.js'
import { TODAY } from '../../profiles/names.js'
import { effectOf } from '../../replay/effect.js'
import { occurrences } from '../../replay/occurrences.js'
import { startsOf } from '../path/shape.js'
import { createTextPool, parentOf, truncate, verdictOf } from '../runs/row.js'

export interface Moment {
  /** Of the first run. */
  readonly id: string
  readonly event: string
  readonly trace: Trace
  readonly conversationId: string
  readonly parentId: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly subject: string
  /** When its hooks began, and when the last of them had ended. */
  readonly startMs: number
  readonly endMs: number
  readonly verdict: string
  readonly followup: string | undefined
  readonly runs: readonly Ran[]
}

export interface Ran {
  readonly id: string
  readonly name: string
  readonly source: string
  readonly verdict: string
  readonly startMs: number
  readonly endMs: number
}

const LONGEST_SUBJECT = 300
const UNKNOWN: Trace = { kind: 'event', part: 'whole' }

/** In the order of the log, which is the order of the events, whatever the clocks show. */
export function momentsOf(records: readonly RunRecord[]): Moment[] {
  const moments: Moment[] = []
  const { short } = createTextPool()
  let before = 0
  for (const { records: runs } of [...occurrences(records.toReversed())].reverse()) {
    const moment = toMoment(runs, before, short)
    before = moment.endMs
    moments.push(moment)
  }
  return moments
}

function toMoment(
  records: readonly [RunRecord, ...RunRecord[]],
  before: number,
  short: (hook: string) => string,
): Moment {
  const [first] = records
  const profile = findProfile(first.profile) ?? findProfile(TODAY)!
  const durations = records.map(({ duration_ms }) => Math.max(0, Number(duration_ms) || 0))
  const starts = startsOf(
    records.map(({ round }, index) => ({ durationMs: durations[index]!, round })),
    profile,
  )
  const { startMs, endMs } = periodOf(
    first,
    Math.max(...durations.map((duration, index) => duration + starts[index]!)),
    before,
  )
  const effect = effectOf(records, first.verdict ?? {}, profile)
  const { followup_message: followup } = effect.given
  return {
    id: first.id,
    event: first.event,
    trace: findEvent(first.event)?.trace ?? UNKNOWN,
    conversationId: first.conversation_id ?? '',
    parentId: parentOf(first),
    fields: first.request ?? {},
    subject: truncate(aboutWords(first.request ?? {}) ?? '', LONGEST_SUBJECT),
    startMs,
    endMs,
    verdict: effect.decision,
    followup: typeof followup === 'string' && followup !== '' ? followup : undefined,
    runs: records.map((record, index) => ({
      id: record.id,
      name: short(String(record.hook)),
      source: String(record.source),
      verdict: verdictOf(record),
      startMs: startMs + starts[index]!,
      endMs: startMs + starts[index]! + durations[index]!,
    })),
  }
}

/** Older records only have the time at which they were made; one without a time follows the event before it. */
function periodOf({ event_started_at, event_ended_at, time }: RunRecord, tookMs: number, before: number) {
  const startMs = Date.parse(event_started_at ?? '')
  const endMs = Date.parse(event_ended_at ?? '')
  if (Number.isFinite(startMs) && Number.isFinite(endMs)) return { startMs, endMs: Math.max(startMs, endMs) }
  const madeMs = Date.parse(time)
  const lastMs = Number.isFinite(madeMs) ? madeMs : before
  return { startMs: lastMs - tookMs, endMs: lastMs }
}
