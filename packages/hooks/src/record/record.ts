// Stores one redacted record per run: in memory, in the log file if the host has one, and in the queues of teams.
// Nothing here may disturb the pipeline: record() does not throw, whatever the payload, the disk or a listener does.

import type { FailureCode } from '../protocol/codes.js'
import type { HookDefinition, Issue, Managed, SourceKind } from '../protocol/config.js'
import type { EventName } from '../protocol/events.js'
import { callListener } from '../protocol/listener.js'
import type { Permission } from '../protocol/response-fields.js'
import { withInput } from '../protocol/rewrite.js'
import type { Run, TimedEvent } from '../protocol/run.js'
import { type Decision, isBlocked, type Verdict } from '../protocol/verdict.js'
import { openJsonl } from './jsonl.js'
import { type Redacted, type RedactOptions, redactFields, redactText, type Sensitive } from './redact.js'
import { openTeams, type WantedBy } from './teams.js'

export type { RedactOptions } from './redact.js'

/** The stored, redacted form of a run, in the names that are written and shown. */
export interface RunRecord {
  /** Time, sequence and a random part: sorts by age. */
  readonly id: string
  /** The same for all runs of one event: the id of the first. Logs from before it was written lack it. */
  readonly event_id?: string
  /** When the record was made. */
  readonly time: string
  /** When the event began, and when its verdict was known. Logs from before they were written lack them. */
  readonly event_started_at?: string
  readonly event_ended_at?: string
  readonly event: EventName
  readonly profile: string
  readonly source: SourceKind
  readonly hook: string
  readonly file: string | null
  readonly line: number | null
  /** Only of hooks in audit mode: the run had no part in the verdict. */
  readonly mode?: 'observe'
  /** The decision that it would have counted as, by its response or by its failure. */
  readonly would?: Decision
  /** Only of a team's hooks: the numbers in its manifest. */
  readonly hook_id?: number
  readonly revision?: number
  readonly release?: number
  /** Only of events whose input a hook rewrote: 1 ran on the input of the host, 2 on the first rewrite. */
  readonly round?: number
  readonly conversation_id: string | null
  readonly generation_id: string | null
  readonly request: Readonly<Record<string, unknown>>
  readonly response: Readonly<Record<string, unknown>> | null
  readonly outcome: Run['outcome']['kind']
  readonly permission: Permission | null
  readonly failure: FailureCode | null
  readonly message: string | null
  readonly exit_code: number | null
  readonly signal: string | null
  readonly duration_ms: number
  readonly stderr: string
  readonly notes: readonly string[]
  /** The run failed, and the action proceeded. */
  readonly failed_open: boolean
  readonly verdict: { readonly permission: Permission | null; readonly continue: boolean | null }
  /** The altered places and the reasons: `request.prompt: left out (prompts)`. */
  readonly redacted: readonly string[]
}

export interface Recorder {
  /**
   * One record per run of the verdict, in its order; then its denials, and the issues that are not the reason of one.
   * Never throws.
   */
  record(event: TimedEvent, verdict: Verdict, issues?: readonly Issue[]): readonly RunRecord[]
  /** The last runs, oldest first. */
  recent(): readonly RunRecord[]
  /** Returns the function that ends the subscription. */
  subscribe(listener: (record: RunRecord) => void): () => void
  /** The last storage problem: a file that cannot be written, a listener that threw. */
  problem(): string | null
  close(): void
}

export interface RecorderOptions {
  readonly now: () => number
  readonly random: () => string
  /** True: left out of the record. Contents and e-mail addresses are left out by default. */
  readonly redact?: Partial<RedactOptions> | undefined
  readonly file?:
    | { readonly path: string; readonly maxBytes?: number; readonly keep?: number }
    | null
    | undefined
  /** Called at each event, because teams come and go. */
  readonly queues?: (() => readonly WantedBy[]) | undefined
}

/** The number of runs that stay in memory. */
const MOST_RECENT = 100

const DEFAULTS: RedactOptions = { contents: true, prompts: false, outputs: false, emails: true }

/** Parts of a response that repeat the payload, by the same kinds. */
const ANSWER_SENSITIVE: Readonly<Record<string, Sensitive>> = {
  updated_input: 'contents',
  updated_prompt: 'prompts',
  updated_mcp_tool_output: 'outputs',
  additional_context: 'prompts',
  followup_message: 'prompts',
}

export function openRecorder(options: RecorderOptions): Recorder {
  const recent: RunRecord[] = []
  const file = options.file ? openJsonl(options.file) : null
  const redact: RedactOptions = { ...DEFAULTS, ...options.redact }
  const nextId = ids(options)
  const nameOf = names()
  const teams = openTeams(options.queues)
  const listeners = new Set<(record: RunRecord) => void>()
  let lastProblem: string | null = null
  let closed = false

  return {
    record(event, verdict, issues = []) {
      if (closed) return []
      try {
        // Once per round: the payload is the same for all of its runs.
        const requests = [
          event.fields,
          ...verdict.rewrites.map(({ input }) => withInput(event.spec, event.fields, input)),
        ].map(fields => redactFields(fields, 'request', sensitiveFields(event), redact))
        const period = periodOf(event, verdict)
        let eventId: string | undefined
        const describeNext = (round: number, subject: Described): RunRecord => {
          const { id, time } = nextId()
          eventId ??= id
          return describe(
            { event, verdict, request: requests[round - 1]!, id, eventId, time, period },
            subject,
            redact,
          )
        }
        const { denials } = verdict
        const others = issues.filter(({ file }) => !denials.some(denial => denial.file === file))
        const records = [
          ...verdict.runs.map(run => describeNext(run.round ?? 1, subjectOf(run, nameOf(run.hook)))),
          // Problems that no run explains. The message of a denial repeats the issue that caused it.
          ...denials.map(denial => describeNext(1, { hook: 'required source', ...denial, line: null })),
          ...others.map(issue => describeNext(1, { ...issue, hook: 'team manifest', line: null })),
        ]
        recent.push(...records)
        recent.splice(0, recent.length - MOST_RECENT)
        file?.append(records)
        teams.append(verdict, records)
        for (const record of records) {
          for (const listener of [...listeners])
            callListener(
              () => listener(record),
              error => {
                lastProblem = `a listener threw: ${messageOf(error)}`
              },
            )
        }
        return records
      } catch (error) {
        lastProblem = `a run could not be recorded: ${messageOf(error)}`
        return []
      }
    },
    recent: () => [...recent],
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    problem() {
      const problems = [file?.problem() ?? null, teams.problem()].filter(text => text !== null)
      return problems.length > 0 ? problems.join('; ') : lastProblem
    },
    close() {
      closed = true
      listeners.clear()
    },
  }
}

/** Private fields of the event. The address of the user is in every payload. */
function sensitiveFields({ spec, fields }: TimedEvent): Readonly<Record<string, Sensitive>> {
  const isContent = spec.readingTool !== undefined && fields.tool_name === spec.readingTool
  return {
    user_email: 'emails',
    ...spec.sensitive,
    ...(isContent ? { tool_output: 'contents' } : {}),
  }
}

interface Known {
  readonly event: TimedEvent
  readonly verdict: Verdict
  readonly request: Redacted
  readonly id: string
  readonly eventId: string
  readonly time: string
  readonly period: Pick<RunRecord, 'event_started_at' | 'event_ended_at'>
}

/** A run, or a reason without one: a missing source, rewrites that did not settle, a folder that was not verified. */
interface Described {
  readonly source: SourceKind
  readonly hook: string
  readonly file: string | null
  readonly line: number | null
  readonly message: string | undefined
  readonly run?: Run
}

function describe(known: Known, subject: Described, redact: RedactOptions): RunRecord {
  const { event, verdict, request, id, eventId, time, period } = known
  const { run, source, hook, file, line } = subject
  const redacted = [...request.notes]
  const text = (value: unknown, at: string) =>
    typeof value === 'string' ? redactText(value, at, redacted) : null
  const answer = run?.outcome.kind === 'answered' ? run.outcome.answer : null
  const failure = run && run.outcome.kind !== 'silent' ? run.outcome.failure : undefined
  const outcome = run?.outcome.kind ?? 'failed'
  const response = answer && redactFields({ ...answer }, 'response', ANSWER_SENSITIVE, redact)
  if (response) redacted.push(...response.notes)
  const observes = run?.hook.mode === 'observe'
  const isDenial = !run && verdict.denials.some(({ message }) => message === subject.message)
  return Object.freeze({
    id,
    event_id: eventId,
    time,
    ...period,
    event: event.spec.name,
    profile: event.profile.name,
    conversation_id: text(event.fields.conversation_id, 'conversation_id'),
    generation_id: text(event.fields.generation_id, 'generation_id'),
    request: request.value,
    verdict: { permission: verdict.permission, continue: verdict.continue },
    source,
    hook: run ? hook : text(hook, 'hook')!,
    file: run ? file : text(file, 'file'),
    line,
    ...(run && observes ? { mode: 'observe', would: wouldBe(run, verdict) } : {}),
    ...(run?.hook.managed ? numbersOf(run.hook.managed) : {}),
    ...(run && verdict.rewrites.length > 0 ? { round: run.round ?? 1 } : {}),
    response: response ? response.value : null,
    outcome,
    permission: isDenial ? 'deny' : (answer?.permission ?? null),
    failure: failure?.code ?? null,
    message: text(subject.message, 'message'),
    exit_code: run?.exit.code ?? null,
    signal: run?.exit.signal ?? null,
    duration_ms: run && Number.isFinite(run.exit.durationMs) ? run.exit.durationMs : 0,
    stderr: text(run?.exit.stderr, 'stderr') ?? '',
    notes: run?.notes.map(note => note.code) ?? [],
    failed_open:
      outcome === 'failed' &&
      event.spec.gate !== 'none' &&
      !observes &&
      !isBlocked(verdict) &&
      !(run && verdict.isCancelled),
    redacted,
  })
}

const subjectOf = (run: Run, names: { hook: string; file: string | null }): Described => {
  const { hook, outcome } = run
  const message = outcome.kind === 'silent' ? undefined : outcome.failure?.message
  return { source: hook.source, ...names, line: hook.line, message, run }
}

const wouldBe = (run: Run, { observed }: Verdict): Decision =>
  observed.find(one => one.run === run)?.decision ?? 'abstain'

const numbersOf = ({ id, revision, release }: Managed) => ({
  ...(id === undefined ? {} : { hook_id: id }),
  ...(revision === undefined ? {} : { revision }),
  ...(release === undefined ? {} : { release }),
})

/** A clock that is set while hooks run must not end an event before its start. */
function periodOf({ startedAt }: TimedEvent, { durationMs }: Verdict): Known['period'] {
  const endedAt = startedAt + (Number.isFinite(durationMs) ? Math.max(0, durationMs) : 0)
  return {
    event_started_at: new Date(startedAt).toISOString(),
    event_ended_at: new Date(endedAt).toISOString(),
  }
}

/** A clock that is set back must not reorder the ids, so the time in them never decreases. */
function ids({ now, random }: RecorderOptions): () => { id: string; time: string } {
  let latest = 0
  let sequence = 0
  return () => {
    const time = new Date(now())
    latest = Math.max(latest, time.getTime())
    sequence = (sequence + 1) % 36 ** 4
    const parts = [latest.toString(36).padStart(9, '0'), sequence.toString(36).padStart(4, '0'), random()]
    return { id: parts.join('-'), time: time.toISOString() }
  }
}

/** A command can contain a secret, too. It does not change, so it is checked once. */
function names(): (hook: HookDefinition) => { hook: string; file: string | null } {
  const known = new WeakMap<HookDefinition, { hook: string; file: string | null }>()
  return definition => {
    let name = known.get(definition)
    if (!name) {
      const { name: hook, file } = definition
      name = { hook: redactText(hook, 'hook', []), file: file === null ? null : redactText(file, 'file', []) }
      known.set(definition, name)
    }
    return name
  }
}

function messageOf(error: unknown): string {
  try {
    return redactText(error instanceof Error ? error.message : String(error), '', []).slice(0, 500)
  } catch {
    return 'an error without a message'
  }
}
