// How a hook ended → what it means: answered, silent or failed. Covers anything that a hook can print.
//
// A deny is never lost, in versions where denies hold (`denyHolds`) and on events that can be stopped. It denies
// - whatever the exit code, timeout or signal, beside wrong fields, and before or after any other text on stdout;
// - if stdout passed its limit and mentions a decision that denies, or is a response of which a part is missing.

import type { HookDefinition } from '../protocol/config.js'
import { DENYING_PAIR, type Response } from '../protocol/response-fields.js'
import type { Event, Exit, Failure, Note, Reading } from '../protocol/run.js'
import { findObjects, type Printed } from './find-objects.js'
import { type ReadResponse, readResponse } from './response.js'

const BLOCK_EXIT = 2

export function read(exit: Exit, hook: HookDefinition, event: Event): Reading {
  const { spec, profile } = event
  const printed = findObjects(exit.stdout)
  const last = printed.last && readResponse(printed.last, hook, event)
  const notes: Note[] = [...(last?.notes ?? []), ...(exit.notes ?? [])]
  if (printed.hasTextBefore)
    notes.push({ code: 'note/text-before', message: 'There was text before the response.' })
  const isVoid = printed.hasTextBefore && profile.answer.textBefore === 'voids'
  const blocksByExit = exit.code === BLOCK_EXIT && spec.gate !== 'none'
  if (blocksByExit && !profile.answer.exit2) notes.push(EXIT_2_IGNORED)
  const response = isVoid ? undefined : last

  if (blocksByExit && profile.answer.exit2) {
    return { outcome: { kind: 'answered', answer: blockResponse(exit, response, event) }, notes }
  }

  const failure = exit.failure ?? exitFailure(exit) ?? responseFailure(printed, response, isVoid, hook, event)
  const deny = profile.answer.denyHolds ? findDeny(exit, printed, last, hook, event) : undefined
  if (deny && (failure || deny !== last?.answer)) {
    notes.push(failure ? denyDespite(failure) : EARLIER_DENY)
    return {
      outcome: failure ? { kind: 'answered', answer: deny, failure } : { kind: 'answered', answer: deny },
      notes,
    }
  }
  if (failure) return { outcome: { kind: 'failed', failure }, notes }
  if (printed.isEmpty) return { outcome: { kind: 'silent' }, notes }
  const { answer, reported } = response!
  return { outcome: { kind: 'answered', answer, ...(reported ? { failure: reported } : {}) }, notes }
}

const EXIT_2_IGNORED: Note = {
  code: 'note/no-effect',
  message: 'Exit code 2 does not stop the action in this version.',
}

const EARLIER_DENY: Note = {
  code: 'note/earlier-deny',
  message: 'An earlier JSON object on stdout denied; the deny holds.',
}

const denyDespite = (failure: Failure): Note => ({
  code: 'note/deny-despite-failure',
  message: `${failure.message} Its deny holds.`,
})

const SHELL_NOT_FOUND = 127
const SHELL_NOT_EXECUTABLE = 126

/** Why the end alone is a failure. An exit code 2 that does not block is like any other. */
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

/** Why stdout is no response; undefined if it is one, or if none is needed. */
function responseFailure(
  printed: Printed,
  response: ReadResponse | undefined,
  isVoid: boolean,
  hook: HookDefinition,
  { spec, profile }: Event,
): Failure | undefined {
  if (printed.isEmpty) {
    const mustRespond = hook.failClosed === true && profile.config.keys.includes('failClosed')
    if (spec.gate === 'none' || (profile.answer.silence === 'abstain' && !mustRespond)) return undefined
    const why = mustRespond ? 'and failClosed requires a response' : 'which is a failure in this version'
    return { code: 'run/no-answer', message: `It printed nothing, ${why}.` }
  }
  if (isVoid)
    return { code: 'run/invalid-json', message: 'This version rejects a response that has text before it.' }
  if (!response) return { code: 'run/invalid-json', message: 'stdout does not end with a JSON object.' }
  return response.failure
}

function findDeny(
  exit: Exit,
  printed: Printed,
  last: ReadResponse | undefined,
  hook: HookDefinition,
  event: Event,
): Response | undefined {
  const { gate } = event.spec
  if (gate === 'none') return undefined
  if (last && denies(last.answer)) return last.answer
  const earlier = printed.earlierDeny && readResponse(printed.earlierDeny, hook, event).answer
  if (earlier && denies(earlier)) return earlier
  const isCut = exit.failure?.code === 'run/overflow'
  if (isCut && (exit.omitsDeny || DENYING_PAIR.test(exit.stdout))) return denyOf(gate, DENY_WAS_CUT)
  const isPartial = isCut && !last && exit.stdout.trimStart().startsWith('{')
  return isPartial && gate === 'permission' ? denyOf(gate, RESPONSE_WAS_CUT) : undefined
}

const DENY_WAS_CUT = 'A hook denied this. Its message is lost: it printed more than is read.'
const RESPONSE_WAS_CUT =
  'Blocked for safety: a hook printed more than is read, and its response could not be read completely.'

const denies = (answer: Response): boolean => answer.permission === 'deny' || answer.continue === false

const denyOf = (gate: 'permission' | 'continue', message: string | undefined): Response => ({
  ...(gate === 'permission' ? { permission: 'deny' } : { continue: false }),
  ...(message === undefined ? {} : { user_message: message }),
  ...(message === undefined || gate === 'continue' ? {} : { agent_message: message }),
})

/** Exit 2: the messages of the JSON, else stderr, else stdout. */
function blockResponse(exit: Exit, response: ReadResponse | undefined, { spec }: Event): Response {
  const gate = spec.gate as 'permission' | 'continue'
  const { user_message, agent_message } = response?.answer ?? {}
  if (user_message === undefined && agent_message === undefined)
    return denyOf(gate, exit.stderr.trim() || (response ? undefined : exit.stdout.trim() || undefined))
  const answer = denyOf(gate, undefined)
  if (user_message !== undefined) answer.user_message = user_message
  if (agent_message !== undefined && gate === 'permission') answer.agent_message = agent_message
  return answer
}
