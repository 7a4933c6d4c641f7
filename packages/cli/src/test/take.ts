// One step of a case: an event, a loop, or a change of the workspace.

import { eventsUnder, findProfile, type ProfileName } from '@holdfast/hooks/protocol'
import type { Mismatch } from '@holdfast/hooks/testing'
import type { Step, WorkStep } from './cases.js'
import { runCommand } from './command.js'
import { type FireContext, fireOnce, type StepResult } from './fire.js'
import { fireUntilDone } from './loop.js'

/** Whether the version has the event, or the case says what is expected without it. */
export const isTaken = (step: Step, profile: ProfileName): boolean =>
  !('event' in step) || step.in[profile] !== undefined || eventsUnder(findProfile(profile)!).has(step.event)

export async function take(step: Step, around: FireContext): Promise<StepResult> {
  if (!isTaken(step, around.profile)) return result(step, [])
  try {
    if (!('event' in step)) return await change(step, around)
    return await (step.kind === 'event' ? fireOnce(step, around) : fireUntilDone(step, around, take))
  } catch (error) {
    if (around.signal.aborted) throw error
    return result(step, [{ what: nameOf(step), expected: 'succeeds', got: (error as Error).message }])
  }
}

async function change(step: WorkStep, { stage, hooks, signal, profile }: FireContext): Promise<StepResult> {
  const wrong: Mismatch[] = []
  if (step.kind === 'write') stage.write(step.files)
  else if (step.kind === 'remove') stage.remove(step.paths)
  else {
    const { code, output } = await runCommand(step.command, stage, signal)
    const said = output.trim() === '' ? '' : `: ${output.trim()}`
    if (code !== 0)
      wrong.push({ what: 'exit', expected: 'exit 0', got: `exit ${code ?? 'by a signal'}${said}` })
  }
  // The step may have changed the hooks themselves.
  if (findProfile(profile)!.config.reload !== 'restart') await hooks.reload()
  return result(step, wrong)
}

const nameOf = (step: Step) => ('event' in step ? step.event : step.kind)

const result = (step: Step, mismatches: readonly Mismatch[]): StepResult => ({
  line: step.line,
  what: step.kind === 'run' && 'command' in step ? `run: ${step.command}` : nameOf(step),
  mismatches,
  seen: null,
})
