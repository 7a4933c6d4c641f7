// One case in one version: its steps through the real engine, each held against what is expected of it.

import { type Hooks, HooksError, openHooks } from '@holdfast/hooks'
import {
  EVENT_SPECS,
  type EventName,
  eventsUnder,
  findEvent,
  findProfile,
  type Issue,
  type ProfileName,
  type Verdict,
} from '@holdfast/hooks/protocol'
import {
  compare,
  completeFacts,
  isText,
  type Mismatch,
  type Seen,
  sayText,
  whereTheyDiffer,
} from '@holdfast/hooks/testing'
import type { EventStep, Expectation, Step, TestCase } from './cases.js'
import { runCommand } from './command.js'
import type { Stage } from './stage.js'

export interface StepResult {
  readonly line: number
  /** The event, or what was done to the workspace. */
  readonly what: string
  readonly mismatches: readonly Mismatch[]
  /** The last verdict of the step. */
  readonly seen: Seen | null
}

export interface Attempt {
  readonly profile: ProfileName
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly reason: string | null
  /** Up to the first that failed. */
  readonly steps: readonly StepResult[]
  readonly durationMs: number
  /** Errors of the hooks.json. */
  readonly issues: readonly Issue[]
  /** Paths of the temporary folders as those of the real ones. */
  tidy(text: string): string
}

export async function attempt(
  one: TestCase,
  profile: ProfileName,
  stage: Stage,
  workspace: string,
  signal: AbortSignal,
): Promise<Attempt> {
  const tidy = (text: string) =>
    text
      .replaceAll(stage.root, () => workspace)
      .replaceAll(stage.home, () => '~')
      .replaceAll(stage.base, () => '<case>')
  const began = performance.now()
  const had = eventsUnder(findProfile(profile)!)
  const steps = one.steps.filter(step => !('event' in step) || had.has(step.event) || step.in[profile])
  const skipped = { profile, outcome: 'skipped', steps: [], durationMs: 0, issues: [], tidy } as const
  if (!steps.some(step => 'event' in step)) {
    const events = [...new Set(one.steps.flatMap(step => ('event' in step ? [step.event] : [])))]
    return { ...skipped, reason: `does not have ${events.join(', ')}` }
  }
  let model = one.setting.model
  const hooks = await openHooks({
    workspaceRoots: [stage.root],
    home: stage.home,
    enterpriseDir: `${stage.base}/enterprise`,
    profile,
    env: stage.env,
    trustAll: true,
    watch: false,
    log: { file: null },
    evaluatePrompt: async () => {
      if (model) return model
      throw new Error('The case does not say what the model answers; add "model says: { ok: true }"')
    },
  })
  try {
    const results: StepResult[] = []
    const broken = hooks.catalog().layers.filter(({ state }) => state === 'failed')
    const issues = hooks.issues().filter(({ severity }) => severity === 'error')
    if (broken.length > 0) {
      const what = 'hooks.json'
      const [first] = issues
      const got = first ? `line ${first.line}: ${first.message}` : 'it could not be read'
      results.push({
        line: one.line,
        what,
        seen: null,
        mismatches: [{ what, expected: 'can be read', got }],
      })
    }
    for (const step of broken.length > 0 ? [] : steps) {
      if ('event' in step) model = step.model ?? one.setting.model
      const result = await take(step, { hooks, stage, profile, signal }).catch((error: Error) => {
        if (signal.aborted) throw error
        return refused(step, error.message)
      })
      results.push(result)
      if (result.mismatches.length > 0) break
    }
    const outcome = results.some(({ mismatches }) => mismatches.length > 0) ? 'failed' : 'passed'
    const durationMs = performance.now() - began
    return { profile, outcome, reason: null, steps: results, durationMs, issues, tidy }
  } finally {
    hooks.close()
  }
}

/** Where not even the folders of the case could be made. */
export const notBegun = (one: TestCase, profile: ProfileName, why: string): Attempt => ({
  profile,
  outcome: 'failed',
  reason: null,
  steps: [
    {
      line: one.line,
      what: 'workspace',
      seen: null,
      mismatches: [{ what: 'workspace', expected: 'can be made', got: why }],
    },
  ],
  durationMs: 0,
  issues: [],
  tidy: text => text,
})

interface Around {
  readonly hooks: Hooks
  readonly stage: Stage
  readonly profile: ProfileName
  readonly signal: AbortSignal
}

/** What the engine does not take. */
const refused = (step: Step, why: string): StepResult => {
  const what = 'event' in step ? step.event : step.kind
  return { line: step.line, what, seen: null, mismatches: [{ what, expected: 'can be done', got: why }] }
}

async function take(step: Step, around: Around): Promise<StepResult> {
  if ('event' in step) return step.kind === 'event' ? fireOnce(step, around) : fireUntilDone(step, around)
  const { stage, hooks, signal } = around
  const what = step.kind === 'run' ? `run: ${step.command}` : step.kind
  const mismatches: Mismatch[] = []
  try {
    if (step.kind === 'write') stage.write(step.files)
    else if (step.kind === 'remove') stage.remove(step.paths)
    else {
      const { code, output } = await runCommand(step.command, stage, signal)
      const got = `exit ${code ?? 'by a signal'}${output.trim() === '' ? '' : `: ${output.trim()}`}`
      if (code !== 0) mismatches.push({ what: 'exit', expected: 'exit 0', got })
    }
  } catch (error) {
    mismatches.push({ what: step.kind, expected: 'done', got: (error as Error).message })
  }
  // The step may have changed the hooks themselves.
  if (findProfile(around.profile)!.config.reload !== 'restart') await hooks.reload()
  return { line: step.line, what, mismatches, seen: null }
}

async function fireOnce(step: EventStep, around: Around): Promise<StepResult> {
  const seen = await fire(step, around)
  const expect = step.in[around.profile] ?? step.expect
  return { line: step.line, what: step.event, seen, mismatches: differences(expect, seen, around) }
}

/** As an agent would: each follow-up is a new turn, and the turn ends with the same event. */
async function fireUntilDone(step: EventStep, around: Around): Promise<StepResult> {
  const expect = step.in[around.profile] ?? step.expect
  const { followups, followup, ...each } = expect
  const said: string[] = []
  for (;;) {
    const seen = await fire(step, around)
    const done = { line: step.line, what: `loop: ${step.event}`, seen }
    const message = seen.followupMessage
    if (message === null) return { ...done, mismatches: atEnd(step, expect, said, seen, around) }
    said.push(message)
    // What each turn must be like; what is left afterwards is looked at when the loop is over.
    const { files: _, ...now } = each
    const wrong = compare(followup === undefined ? now : { ...now, followup }, seen)
    if (wrong.length > 0) return { ...done, mismatches: wrong }
    if (said.length > step.atMost) {
      const expected = `an end after at most ${step.atMost} follow-ups`
      return { ...done, mismatches: [{ what: 'loop', expected, got: `one more: ${sayText(message)}` }] }
    }
    await submit(step.event, message, around)
    for (const inner of step.between) {
      const result = await take(inner, around)
      if (result.mismatches.length > 0) return result
    }
  }
}

function atEnd(step: EventStep, expect: Expectation, said: readonly string[], seen: Seen, around: Around) {
  const { followups, followup: _, ...rest } = expect
  const wrong = [...differences(rest, seen, around)]
  if (followups !== undefined && followups !== said.length) {
    wrong.push({ what: 'followups', expected: String(followups), got: String(said.length) })
  }
  if (step.untilFile !== undefined && around.stage.read(step.untilFile) === null) {
    const got = `it ended after ${said.length} follow-ups, and the file is not there`
    wrong.push({ what: 'until file', expected: step.untilFile, got })
  }
  return wrong
}

/** A follow-up goes through the prompt like a message of the person. One to a subagent does not. */
async function submit(event: EventName, message: string, { hooks, profile, signal }: Around): Promise<void> {
  if ('subagent_type' in findEvent(event)!.payload) return
  const prompt = EVENT_SPECS.find(({ loop }) => loop === 'resets')
  if (!prompt || !eventsUnder(findProfile(profile)!).has(prompt.name)) return
  await hooks.fire(prompt.name, { prompt: message } as never, { signal, automatic: true })
}

async function fire({ event, payload }: EventStep, { hooks, stage, signal }: Around): Promise<Seen> {
  try {
    const facts = completeFacts(event, payload, stage.root)
    return withStderr(await hooks.fire(event, facts as never, { signal }))
  } catch (error) {
    if (!HooksError.isInstance(error)) throw error
    throw new Error(error.message.replace(/^\[[\w/-]+\] /, ''))
  }
}

const withStderr = (verdict: Verdict): Seen => ({
  ...verdict,
  stderr: verdict.runs.map(({ exit }) => exit.stderr).join(''),
})

function differences({ files, followups: _, ...expected }: Expectation, seen: Seen, { stage }: Around) {
  const wrong = compare(expected, seen)
  for (const [path, rule] of Object.entries(files ?? {})) {
    const text = stage.read(path)
    if (isText(rule, text)) continue
    const [expected, got] = whereTheyDiffer(rule, text)
    wrong.push({ what: path, expected, got: text === null ? 'no such file' : got })
  }
  return wrong
}
