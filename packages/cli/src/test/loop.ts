// A loop: an event that is fired until no follow-up comes.

import { isBlocked } from '@holdfast/hooks'
import { EVENT_SPECS, eventsUnder, findEvent, findProfile } from '@holdfast/hooks/protocol'
import { compare, describeText, type Mismatch, type Observation } from '@holdfast/hooks/testing'
import { count } from '../print/words.js'
import type { EventStep, Step } from './cases.js'
import { differences, type FireContext, fire, type StepResult } from './fire.js'

/** As an agent does: each follow-up is a new turn, and the turn ends with the same event. */
export async function fireUntilDone(
  step: EventStep,
  around: FireContext,
  take: (step: Step, around: FireContext) => Promise<StepResult>,
): Promise<StepResult> {
  const { followups: _, files: __, ...each } = step.in[around.profile] ?? step.expect
  for (let said = 0; ; said++) {
    const { seen } = await fire(step, around)
    const ended = (mismatches: readonly Mismatch[]): StepResult => ({
      line: step.line,
      what: `loop: ${step.event}`,
      seen,
      mismatches,
    })
    const message = seen.followupMessage
    if (message === null) return ended(atEnd(step, said, seen, around))
    // Expectations for each turn; the others are checked after the loop.
    const wrong = compare(each, seen)
    if (wrong.length > 0) return ended(wrong)
    if (said === step.atMost) {
      const expected = `an end after at most ${count(step.atMost, 'follow-up')}`
      return ended([{ what: 'loop', expected, got: `one more: ${describeText(message)}` }])
    }
    const stopped = await submit(step, message, around)
    if (stopped) return ended([stopped])
    for (const inner of step.between) {
      const result = await take(inner, around)
      if (result.mismatches.length > 0) return result
    }
  }
}

function atEnd(step: EventStep, said: number, seen: Observation, around: FireContext): Mismatch[] {
  const { followups, followup, ...rest } = step.in[around.profile] ?? step.expect
  const wrong = differences(rest, seen, around)
  // Expectations for each follow-up fail if the loop had none.
  if (said === 0 && followups === undefined && followup)
    wrong.push({ what: 'followup', expected: describeText(followup), got: describeText(null) })
  if (followups !== undefined && followups !== said) {
    wrong.push({ what: 'followups', expected: String(followups), got: String(said) })
  }
  if (step.untilFile !== undefined && around.stage.read(step.untilFile) === null) {
    const got = `it ended after ${count(said, 'follow-up')}, and the file is not there`
    wrong.push({ what: 'until file', expected: step.untilFile, got })
  }
  return wrong
}

/** A follow-up is submitted as a prompt, like a message of the user, unless it goes to a subagent. */
async function submit(
  { event }: EventStep,
  message: string,
  { hooks, profile, signal, choose }: FireContext,
): Promise<Mismatch | undefined> {
  if ('subagent_type' in findEvent(event)!.payload) return undefined
  const prompt = EVENT_SPECS.find(({ loop }) => loop === 'resets')
  if (!prompt || !eventsUnder(findProfile(profile)!).has(prompt.name)) return undefined
  const verdict = await hooks.fire(prompt.name, { prompt: message } as never, {
    signal,
    choose,
    automatic: true,
  })
  if (!isBlocked(verdict)) return undefined
  const got = `${prompt.name} blocked it: ${describeText(verdict.userMessage)}`
  return { what: 'loop', expected: 'the follow-up is sent', got }
}
