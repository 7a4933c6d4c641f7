// Fires one event of a case through the engine, and compares the result with the expectations.

import { type FireOptions, type Hooks, HooksError } from '@holdfast/hooks'
import { findProfile, type ProfileName, type PromptReply, type Verdict } from '@holdfast/hooks/protocol'
import {
  compare,
  completePayload,
  describeDifference,
  type Mismatch,
  matchesText,
  type Observation,
} from '@holdfast/hooks/testing'
import { fireExplained, type Simulated } from '../profiles/simulate.js'
import type { EventStep, Expectation } from './cases.js'
import type { CaseFolders } from './stage.js'

/** State that the steps of a case share. */
export interface FireContext {
  readonly hooks: Hooks
  readonly stage: CaseFolders
  readonly profile: ProfileName
  readonly signal: AbortSignal
  /** Only the hooks under test, of all hooks. */
  readonly choose: NonNullable<FireOptions['choose']>
  /** The responses of the model in this case, and in the current step. */
  readonly model: { readonly usual: PromptReply | undefined; now: PromptReply | undefined }
}

export interface StepResult {
  readonly line: number
  /** The event, or the change of the workspace. */
  readonly what: string
  readonly mismatches: readonly Mismatch[]
  /** The last verdict of the step. */
  readonly seen: Observation | null
  /** The same with its runs, for comparing versions. */
  readonly simulated?: Simulated
}

export async function fireOnce(step: EventStep, around: FireContext): Promise<StepResult> {
  const { seen, simulated } = await fire(step, around)
  const expect = step.in[around.profile] ?? step.expect
  return {
    line: step.line,
    what: step.event,
    seen,
    simulated,
    mismatches: differences(expect, seen, around),
  }
}

export async function fire(
  { event, payload, model }: EventStep,
  { hooks, stage, profile, signal, choose, model: said }: FireContext,
): Promise<{ seen: Observation; simulated: Simulated }> {
  said.now = model ?? said.usual
  const fields = completePayload(event, payload, stage.root)
  try {
    const simulated = await fireExplained(hooks, findProfile(profile)!, event, fields, { signal, choose })
    return { seen: withStderr(simulated.verdict), simulated }
  } catch (error) {
    if (!HooksError.isInstance(error)) throw error
    throw new Error(error.message.replace(/^\[[\w/-]+\] /, ''))
  }
}

const withStderr = (verdict: Verdict): Observation => ({
  ...verdict,
  stderr: verdict.runs.map(({ exit }) => exit.stderr).join(''),
})

export function differences(
  { files, followups: _, ...expected }: Expectation,
  seen: Observation,
  { stage }: FireContext,
): Mismatch[] {
  const wrong = compare(expected, seen)
  for (const [path, rule] of Object.entries(files ?? {})) {
    const text = stage.read(path)
    if (matchesText(rule, text)) continue
    const [wanted, got] = describeDifference(rule, text)
    wrong.push({ what: path, expected: wanted, got: text === null ? 'no such file' : got })
  }
  return wrong
}
