// A stored record as the path of its event: a record knows one step of it.

import type { Path, Skipped, Step } from '../gen/holdfast/panel/v1/panel_pb.js'

/** A message without the fields of its encoding. */
export type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends { readonly $typeName: string }
    ? { readonly [Key in keyof T as Key extends '$typeName' | '$unknown' ? never : Key]: Plain<T[Key]> }
    : T

export type PathShape = Plain<Path>
export type StepShape = Plain<Step>
export type SkippedShape = Plain<Skipped>

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
const json = (value: unknown): string => (value === undefined || value === null ? '' : JSON.stringify(value))

/** Null for anything that is not a record. */
export function pathOfRecord(recordJson: string): PathShape | null {
  let record: unknown
  try {
    record = JSON.parse(recordJson)
  } catch {
    return null
  }
  if (!isFields(record) || typeof record.event !== 'string') return null
  const response = fieldsOf(record.response)
  const verdict = mergedOf(fieldsOf(record.verdict))
  const step = stepOf(record, response, verdict)
  // A response that differs from the verdict did not decide.
  const decided = step.verdict === verdict && verdict !== 'none'
  const blocked = verdict === 'deny'
  return {
    event: record.event,
    profile: text(record.profile),
    at: text(record.event_started_at) || text(record.time),
    subject: subjectOf(fieldsOf(record.request)),
    conversationId: text(record.conversation_id),
    payloadJson: json(record.request),
    steps: [{ ...step, decided }],
    skipped: [],
    skippedKnown: false,
    verdict,
    merged: 'This record is of one hook. Other hooks of the same event have their own records.',
    durationMs: step.durationMs,
    userMessage: decided ? text(response.user_message) : '',
    agentMessage: decided ? text(response.agent_message) : '',
    updatedInputJson: blocked || step.observed ? '' : json(response.updated_input),
    additionalContext: blocked || step.observed ? '' : text(response.additional_context),
    followupMessage: step.observed ? '' : text(response.followup_message),
    env: Object.keys(fieldsOf(response.env)),
    redacted: textsOf(record.redacted),
    problems: [],
    notes: [],
    cuts: [],
  }
}

function stepOf(record: Fields, response: Fields, merged: string): StepShape {
  const { exit_code: exitCode } = record
  return {
    runId: text(record.id),
    source: text(record.source),
    hook: text(record.hook),
    file: text(record.file),
    line: number(record.line),
    verdict: verdictIn(record, response, merged),
    startMs: 0,
    durationMs: number(record.duration_ms),
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
    signal: text(record.signal),
    failure: text(record.failure),
    message: text(record.message) || text(response.user_message) || text(response.agent_message),
    answerJson: json(record.response),
    stderr: text(record.stderr),
    notes: textsOf(record.notes),
    observed: record.mode === 'observe',
    would: text(record.would),
    decided: false,
    cuts: [],
  }
}

function mergedOf({ permission, continue: goesOn }: Fields): string {
  if (typeof permission === 'string') return permission
  return goesOn === false ? 'deny' : goesOn === true ? 'allow' : 'none'
}

/** An event that was denied did not go through, so nothing in it failed open. */
function verdictIn(record: Fields, response: Fields, merged: string): string {
  if (record.outcome === 'failed')
    return record.failed_open === true && merged !== 'deny' ? 'failed_open' : 'failed'
  if (record.outcome === 'silent') return 'silent'
  if (typeof record.permission === 'string') return record.permission
  if (response.continue === false) return 'deny'
  if (response.continue === true) return 'allow'
  return Object.keys(response).length > 0 ? 'answered' : 'none'
}

const SUBJECTS = ['command', 'file_path', 'prompt', 'tool_name', 'task', 'text', 'url']

/** The subject of the event, from its payload. */
const subjectOf = (request: Fields): string =>
  SUBJECTS.map(name => text(request[name])).find(value => value !== '') ?? ''
