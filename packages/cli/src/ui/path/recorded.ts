// The trace of an event, from its records.

import type { RunRecord } from '@holdfast/hooks'
import {
  CODES,
  type Decision,
  type EventSpec,
  eventsUnder,
  findEvent,
  findProfile,
} from '@holdfast/hooks/protocol'
import { saidOf } from '../../history.js'
import { aboutWords, shortCommand } from '../../print/words.js'
import { TODAY } from '../../profiles/names.js'
import { type Effect, effectOf } from '../../replay/effect.js'
import { truncate, verdictOf } from '../runs/row.js'
import { mergedWords, type RunDecision } from './merged.js'
import { jsonOf, type PathShape, saidIn, startsOf } from './shape.js'

/** The payload has the rest. */
const LONGEST_SUBJECT = 4000

/** In the order in which they were written. */
export function recordedPath(records: readonly [RunRecord, ...RunRecord[]]): PathShape {
  const [first] = records
  const at = first.event_started_at ?? first.time
  const eventMs = Date.parse(first.event_ended_at ?? '') - Date.parse(at)
  const profile = findProfile(first.profile) ?? findProfile(TODAY)!
  const spec = eventsUnder(profile).get(first.event) ?? findEvent(first.event)
  const effect = effectOf(records, first.verdict ?? {}, profile)
  const gate = spec?.gate ?? 'none'
  const starts = startsOf(
    records.map(({ duration_ms, round }) => ({ durationMs: duration_ms, round })),
    profile,
  )
  const { given } = effect
  const text = (name: string) => (typeof given[name] === 'string' ? (given[name] as string) : '')
  return {
    event: first.event,
    profile: first.profile,
    at,
    subject: truncate(aboutWords(first.request ?? {}) ?? '', LONGEST_SUBJECT),
    conversationId: first.conversation_id ?? '',
    payloadJson: jsonOf(first.request),
    steps: records.map((record, index) => toStep(record, starts[index]!, effect, spec)),
    skipped: [],
    skippedKnown: false,
    verdict: effect.decision,
    merged: mergedWords({
      gate,
      decision: effect.decision,
      profile,
      decisions: runDecisionsOf(effect, gate),
      denial: effect.denials.map(({ message }) => message ?? '').join(' '),
    }),
    // As in the list: how long the host waited.
    durationMs:
      eventMs >= 0
        ? eventMs
        : Math.max(0, ...records.map(({ duration_ms }, index) => starts[index]! + duration_ms)),
    userMessage: text('user_message'),
    agentMessage: text('agent_message'),
    updatedInputJson: given.updated_input === undefined ? '' : jsonOf(given.updated_input),
    additionalContext: text('additional_context'),
    followupMessage: text('followup_message'),
    env: given.env && typeof given.env === 'object' ? Object.keys(given.env) : [],
    redacted: [...new Set(records.flatMap(({ redacted }) => (Array.isArray(redacted) ? redacted : [])))],
    problems: [],
    notes: [],
    cuts: [],
  }
}

function toStep(record: RunRecord, startMs: number, effect: Effect, spec: EventSpec | undefined) {
  const observed = record.mode === 'observe'
  return {
    runId: record.id,
    source: record.source,
    hook: shortCommand(String(record.hook)),
    file: record.file ?? '',
    line: record.line ?? 0,
    verdict: stepVerdict(record, spec),
    startMs,
    durationMs: record.duration_ms,
    ...(typeof record.exit_code === 'number' ? { exitCode: record.exit_code } : {}),
    signal: record.signal ?? '',
    failure: record.failure ?? '',
    message: record.message || saidIn(record.response),
    answerJson: record.response ? jsonOf(record.response) : '',
    stderr: String(record.stderr ?? ''),
    notes: (record.notes ?? []).map(code =>
      Object.hasOwn(CODES, code) ? CODES[code as keyof typeof CODES].meaning : code,
    ),
    observed,
    would: observed ? (record.would ?? 'abstain') : '',
    decided: effect.decision !== 'none' && effect.deciders.includes(record),
    cuts: [],
  }
}

function stepVerdict(record: RunRecord, spec: EventSpec | undefined): string {
  if (record.outcome === 'silent') return 'silent'
  const verdict = verdictOf(record)
  if (verdict !== 'none') return verdict
  const isGate = spec?.gate !== 'none'
  return !isGate && Object.keys(record.response ?? {}).length > 0 ? 'answered' : 'none'
}

/** The log does not contain the effect of a failure: it denied if no other run did. */
function runDecisionsOf(effect: Effect, gate: EventSpec['gate']): RunDecision[] {
  return effect.counted.map(record => {
    const observes = record.mode === 'observe'
    const decided = gate !== 'none' && effect.decision !== 'none' && effect.deciders.includes(record)
    const hasFailed = record.outcome === 'failed'
    const decision: Decision = hasFailed ? (decided ? 'deny' : 'abstain') : (saidOf(record) ?? 'abstain')
    return { name: shortCommand(String(record.hook)), decision, hasFailed, observes, decided }
  })
}
