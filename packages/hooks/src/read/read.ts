// How a hook ended → what it means: answered, silent or failed. Total over anything that a hook can print.

import type { Answer } from '../protocol/answer.js'
import type { HookDefinition } from '../protocol/config.js'
import type { Event, Exit, Failure, Note, Reading } from '../protocol/run.js'
import { findAnswer, type Printed } from './find-objects.js'
import { type Interpreted, interpret } from './response.js'

const BLOCK_EXIT = 2

export function read(exit: Exit, hook: HookDefinition, event: Event): Reading {
  const { spec, profile } = event
  const printed = findAnswer(exit.stdout)
  const last = printed.last && interpret(printed.last, hook, event)
  const notes: Note[] = [...(last?.notes ?? [])]
  if (printed.textBefore)
    notes.push({ code: 'note/text-before', message: 'There was text before the answer.' })
  if (exit.isStderrCut)
    notes.push({ code: 'note/stderr-cut', message: 'Only the first part of stderr is kept.' })
  const voided = printed.textBefore && profile.answer.textBefore === 'voids'
  const endsToBlock = exit.code === BLOCK_EXIT && !exit.failure && spec.gate !== 'none'
  if (endsToBlock && !profile.answer.exit2) notes.push(DEAF_TO_EXIT)
  const heard = voided ? undefined : last

  if (endsToBlock && profile.answer.exit2) {
    return { outcome: { kind: 'answered', answer: blockAnswer(exit, heard, event) }, notes }
  }

  const failure = exit.failure ?? exitFailure(exit) ?? readFailure(printed, heard, voided, hook, event)
  const deny = profile.answer.denyHolds ? findDeny(printed, last, hook, event) : undefined
  if (deny && (failure || deny !== last?.answer)) {
    notes.push(failure ? despite(failure) : EARLIER_DENY)
    return {
      outcome: failure ? { kind: 'answered', answer: deny, failure } : { kind: 'answered', answer: deny },
      notes,
    }
  }
  if (failure) return { outcome: { kind: 'failed', failure }, notes }
  if (printed.empty) return { outcome: { kind: 'silent' }, notes }
  return { outcome: { kind: 'answered', answer: heard!.answer }, notes }
}

const DEAF_TO_EXIT: Note = {
  code: 'note/no-effect',
  message: 'Exit code 2 does not stop the action in this version.',
}

const EARLIER_DENY: Note = {
  code: 'note/earlier-deny',
  message: 'An earlier JSON object on stdout denied; the deny holds.',
}

const despite = (failure: Failure): Note => ({
  code: 'note/deny-despite-failure',
  message: `${failure.message} Its deny holds.`,
})

const SHELL_NOT_FOUND = 127
const SHELL_NOT_EXECUTABLE = 126

/** Why the end alone is a failure. Death by a signal is never exit 0; an exit 2 that blocks nothing is like any other. */
function exitFailure({ code, signal }: Exit): Failure | undefined {
  if (signal) return { code: 'run/signal', message: `It was ended by ${signal}.` }
  if (code === 0) return undefined
  if (code === SHELL_NOT_FOUND) {
    return { code: 'run/not-found', message: 'The command was not found (exit code 127).' }
  }
  if (code === SHELL_NOT_EXECUTABLE) {
    return { code: 'run/not-executable', message: 'The command could not be executed (exit code 126).' }
  }
  return { code: 'run/exit', message: `It ended with exit code ${code}.` }
}

/** Why what was printed is no answer; undefined when it is one, or when nothing need be said. */
function readFailure(
  printed: Printed,
  heard: Interpreted | undefined,
  voided: boolean,
  hook: HookDefinition,
  { spec, profile }: Event,
): Failure | undefined {
  if (printed.empty) {
    const mustAnswer = hook.failClosed === true && profile.config.keys.includes('failClosed')
    if (spec.gate === 'none' || (profile.answer.silence === 'no-opinion' && !mustAnswer)) return undefined
    const why = mustAnswer ? 'and failClosed demands an answer' : 'which is a failure in this version'
    return { code: 'run/no-answer', message: `It printed nothing, ${why}.` }
  }
  if (voided)
    return { code: 'run/invalid-json', message: 'This version takes no answer that has text before it.' }
  if (!heard || printed.unsure)
    return { code: 'run/invalid-json', message: 'stdout does not end with a JSON object.' }
  return heard.failure
}

/** A deny is never lost: not to an exit code, a timeout, a wrong field beside it, or other text on stdout. */
function findDeny(
  printed: Printed,
  last: Interpreted | undefined,
  hook: HookDefinition,
  event: Event,
): Answer | undefined {
  if (event.spec.gate === 'none') return undefined
  if (last && denies(last.answer)) return last.answer
  return printed.earlier.map(raw => interpret(raw, hook, event).answer).find(denies)
}

const denies = (answer: Answer): boolean => answer.permission === 'deny' || answer.continue === false

/** Exit 2: the messages of the JSON, else stderr, else stdout. */
function blockAnswer(exit: Exit, heard: Interpreted | undefined, { spec }: Event): Answer {
  const { user_message, agent_message } = heard?.answer ?? {}
  const text = exit.stderr.trim() || (heard ? '' : exit.stdout.trim())
  const answer: Answer = spec.gate === 'permission' ? { permission: 'deny' } : { continue: false }
  const spoken = user_message !== undefined || agent_message !== undefined
  const user = spoken ? user_message : text || undefined
  const agent = spoken ? agent_message : text || undefined
  if (user !== undefined) answer.user_message = user
  if (agent !== undefined && spec.gate === 'permission') answer.agent_message = agent
  return answer
}
