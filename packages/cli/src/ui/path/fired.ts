// The trace of an event that was just fired.

import { countedRuns, decisionOf, type RunRecord } from '@holdfast/hooks'
import type { Run, Verdict } from '@holdfast/hooks/protocol'
import { graveIssues } from '../../print/fire-report.js'
import { aboutWords, ownWord, type Said, shortHook, wouldBe } from '../../print/words.js'
import { received, receivedWords } from '../../profiles/received.js'
import type { Simulated } from '../../profiles/simulate.js'
import { toSkipped } from '../fire/explain.js'
import { toProblem } from '../problems.js'
import { type FinalDecision, mergedWords, type RunDecision } from './merged.js'
import { jsonOf, type PathShape, type StepShape, saidIn, startsOf } from './shape.js'

export function firedPath(
  fired: Simulated,
  log: readonly RunRecord[] = [],
  logProblem: string | null = null,
): PathShape {
  const { profile, plan, verdict, catalog } = fired
  const { spec, payload, fields } = plan.event
  const starts = startsOf(
    verdict.runs.map(({ exit, round }) => ({ durationMs: exit.durationMs, round })),
    profile,
  )
  // In the order of the runs; denials without a run follow them.
  const eventId = verdict.runs.length > 0 ? log.at(-1)?.event_id : undefined
  const records = eventId === undefined ? [] : log.filter(record => record.event_id === eventId)
  const changed = verdict.updatedInput ?? verdict.updatedPrompt ?? verdict.updatedMcpToolOutput
  return {
    event: spec.name,
    profile: profile.name,
    at: records[0]?.event_started_at ?? records[0]?.time ?? new Date().toISOString(),
    subject: aboutWords(fields) ?? '',
    conversationId: typeof fields.conversation_id === 'string' ? fields.conversation_id : '',
    payloadJson: jsonOf(payload),
    steps: verdict.runs.map((run, index) => toStep(run, fired, starts[index]!, records[index]?.id ?? '')),
    skipped: verdict.skipped.map(one => toSkipped(one, plan)),
    skippedKnown: true,
    verdict: finalDecision(verdict),
    merged: mergedWords({
      gate: spec.gate,
      decision: finalDecision(verdict),
      profile,
      decisions: countedRuns(verdict).map(run => toRunDecision(run, fired)),
      denial: verdict.denials.map(({ message }) => message).join(' '),
    }),
    durationMs: verdict.durationMs,
    userMessage: verdict.userMessage ?? '',
    agentMessage: verdict.agentMessage ?? '',
    updatedInputJson: changed ? jsonOf(changed) : '',
    additionalContext: verdict.additionalContext ?? '',
    followupMessage: verdict.followupMessage ?? '',
    env: Object.keys(verdict.env ?? {}),
    redacted: [],
    problems: graveIssues(catalog.issues, verdict).own.map(toProblem),
    notes: notesOf(fired, logProblem),
    cuts: [],
  }
}

const finalDecision = ({ permission, continue: goesOn }: Verdict): FinalDecision =>
  permission ?? (goesOn === null ? 'none' : goesOn ? 'allow' : 'deny')

function toStep(run: Run, { verdict, plan }: Simulated, startMs: number, runId: string): StepShape {
  const { hook, exit, outcome, notes } = run
  const failure = outcome.kind === 'silent' ? undefined : outcome.failure
  const observed = hook.mode === 'observe'
  const decided = verdict.deciders.includes(run)
  const overruled = verdict.overruled.filter(one => one.run === run).map(({ note }) => note)
  return {
    runId,
    source: hook.source,
    hook: shortHook(hook),
    file: hook.file ?? '',
    line: hook.line ?? 0,
    verdict: observed
      ? (WORDS_OF_OBSERVERS[wouldBe(run, verdict)] ?? wordOf(ownWord(run, false, plan.event.spec)))
      : wordOf(ownWord(run, decided, plan.event.spec)),
    startMs,
    durationMs: exit.durationMs,
    ...(exit.code === null ? {} : { exitCode: exit.code }),
    signal: exit.signal ?? '',
    failure: failure?.code ?? '',
    message: failure?.message || (outcome.kind === 'answered' ? saidIn(outcome.answer) : ''),
    answerJson: outcome.kind === 'answered' ? jsonOf(outcome.answer) : '',
    stderr: exit.stderr,
    notes: [...notes, ...overruled].map(({ message }) => message),
    observed,
    would: observed ? wouldBe(run, verdict) : '',
    decided,
    cuts: [],
  }
}

const WORDS_OF_OBSERVERS: Readonly<Partial<Record<string, string>>> = { deny: 'observed_deny' }

const WORDS: Readonly<Partial<Record<Said, string>>> = {
  'no decision': 'none',
  'failed open': 'failed_open',
  'failed closed': 'failed',
}
const wordOf = (said: Said): string => WORDS[said] ?? said

function toRunDecision(run: Run, { verdict, plan }: Simulated): RunDecision {
  return {
    name: shortHook(run.hook),
    decision: decisionOf(run, plan.event),
    hasFailed: run.outcome.kind === 'failed',
    observes: run.hook.mode === 'observe',
    decided: verdict.deciders.includes(run),
  }
}

function notesOf({ spec, plan, verdict, profile }: Simulated, logProblem: string | null): string[] {
  if (!spec) return [`${profile.name} does not have ${plan.event.spec.name}, so hooks for it never run.`]
  const words = receivedWords(received(plan.event))
  return [
    ...(words === 'as today' ? [] : [`Hooks receive ${words}.`]),
    ...(verdict.pluginPaths ? [`It names plugins: ${verdict.pluginPaths.join(', ')}`] : []),
    ...(logProblem === null ? [] : [logProblem]),
  ]
}
