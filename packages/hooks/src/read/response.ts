// One JSON object → an Answer in canonical words, as the event and the version honour it, or why it is not one.

import * as v from 'valibot'
import {
  ANSWER_ALIASES,
  ANSWER_FIELDS,
  type Answer,
  type AnswerFieldName,
  DECISION_WORDS,
} from '../protocol/answer.js'
import type { HookDefinition } from '../protocol/config.js'
import { mayBeSet } from '../protocol/environment.js'
import type { Event, Failure, Note } from '../protocol/run.js'

export interface Interpreted {
  readonly answer: Answer
  readonly notes: readonly Note[]
  /** A known field is wrong; what is right of the answer is still there. */
  readonly failure?: Failure
}

type Raw = Readonly<Record<string, unknown>>

export function interpret(raw: Raw, hook: HookDefinition, event: Event): Interpreted {
  const notes: Note[] = []
  const note = (code: Note['code'], message: string) => notes.push({ code, message })
  const said = new Map<AnswerFieldName, unknown>()
  let failure: Failure | undefined
  const wrong = (message: string) => {
    failure ??= { code: 'run/bad-shape', message }
  }

  const readsNested = hook.dialect === 'claude' || event.profile.answer.messages === 'any'
  const nested = raw.hookSpecificOutput
  if (nested !== undefined && readsNested) {
    if (!isObject(nested)) wrong(`"hookSpecificOutput" is ${show(nested)}; expected an object.`)
    else {
      if (hook.dialect === 'native') note('note/nested', 'The answer is nested in hookSpecificOutput.')
      takeNested(nested, said)
      takeDecision(nested, hook, event, said, wrong)
    }
  }
  takeFields(raw, hook, event, said, note)
  if (takeDecision(raw, hook, event, said, wrong)) {
    if (hook.dialect === 'native') note('note/decision', 'The answer uses decision or reason.')
  } else sayUnread(raw, readsNested, event, note)

  const answer = check(said, event, note, wrong)
  applyGate(answer, said, event, note)
  applyLimits(answer, hook, event, note)
  return failure ? { answer, notes, failure } : { answer, notes }
}

/** Canonical names and, where the version reads them, camelCase ones. A canonical name wins over its alias. */
function takeFields(
  raw: Raw,
  hook: HookDefinition,
  event: Event,
  said: Map<AnswerFieldName, unknown>,
  note: (code: Note['code'], message: string) => void,
): void {
  const { messages } = event.profile.answer
  const camelToo = messages !== 'snake' || hook.dialect === 'claude'
  const camel = Object.keys(raw).filter(key => Object.hasOwn(ANSWER_ALIASES, key))
  if (camel.length > 0) {
    if (camelToo) for (const alias of camel) said.set(ANSWER_ALIASES[alias]!, raw[alias])
    const names = camel.map(name => `"${name}"`).join(', ')
    note(
      camelToo ? 'note/camel-case' : 'note/no-effect',
      `${names}: this version reads ${camelToo ? 'it' : 'snake_case only'}.`,
    )
  }
  for (const key of Object.keys(raw)) {
    if (!isFieldName(key)) continue
    if (messages === 'camel' && CAMEL_ONLY.has(key)) {
      note('note/no-effect', `"${key}": this version reads camelCase only.`)
    } else if (key === 'permission' && decidesBy(event, hook)) {
      note('note/no-effect', `"permission": this version reads "decision" on ${event.spec.name}.`)
    } else keepStrictest(said, key, raw[key])
  }
}

const isFieldName = (key: string): key is AnswerFieldName => Object.hasOwn(ANSWER_FIELDS, key)

/** In one version some events answer with `decision` and with nothing else. */
const decidesBy = ({ spec, profile }: Event, hook: HookDefinition): boolean =>
  hook.type === 'command' &&
  hook.dialect === 'native' &&
  Array.isArray(profile.answer.decision) &&
  profile.answer.decision.includes(spec.name)

const CAMEL_ONLY: ReadonlySet<string> = new Set(['user_message', 'agent_message'])

/** Whatever was said twice, the strictest holds; a word that is none may have been a deny, and is not mended. */
function keepStrictest(said: Map<AnswerFieldName, unknown>, name: AnswerFieldName, value: unknown): void {
  const isGate = HANDLED_BY_GATE.has(name) && said.has(name)
  if (!isGate || strictness(value) >= strictness(said.get(name))) said.set(name, value)
}

const strictness = (value: unknown): number => {
  if (value === 'allow' || value === true) return 0
  if (value === 'ask') return 1
  return value === 'deny' || value === false ? 3 : 2
}

/** The nested form of Claude settings. */
function takeNested(nested: Raw, said: Map<AnswerFieldName, unknown>): void {
  if (nested.permissionDecision !== undefined) said.set('permission', nested.permissionDecision)
  if (nested.permissionDecisionReason !== undefined) said.set('user_message', nested.permissionDecisionReason)
  if (nested.updatedInput !== undefined) said.set('updated_input', nested.updatedInput)
  if (nested.additionalContext !== undefined) said.set('additional_context', nested.additionalContext)
}

/** `decision` and `reason`: a permission, or the reason to go on where nothing can be stopped. True when used. */
function takeDecision(
  raw: Raw,
  hook: HookDefinition,
  { spec, profile }: Event,
  said: Map<AnswerFieldName, unknown>,
  wrong: (message: string) => void,
): boolean {
  const { decision, reason } = raw
  if (decision === undefined || !readsDecision(hook, { spec, profile })) return false
  const permission =
    typeof decision === 'string' && Object.hasOwn(DECISION_WORDS, decision)
      ? DECISION_WORDS[decision]
      : undefined
  if (!permission) {
    wrong(`"decision" is ${show(decision)}; expected allow, ask or deny.`)
    return true
  }
  if (spec.gate !== 'none') {
    keepStrictest(said, 'permission', permission)
    if (reason !== undefined) {
      if (!said.has('user_message')) said.set('user_message', reason)
      if (!said.has('agent_message') && spec.answer.agent_message) said.set('agent_message', reason)
    }
  } else if (permission === 'deny') {
    const goesTo = spec.answer.followup_message ? 'followup_message' : 'additional_context'
    if (spec.answer[goesTo] && !said.has(goesTo)) said.set(goesTo, reason ?? '')
  }
  return true
}

const readsDecision = (
  { dialect }: HookDefinition,
  { spec, profile }: Pick<Event, 'spec' | 'profile'>,
): boolean => {
  const reads = profile.answer.decision
  return dialect !== 'native' || reads === 'any' || (reads !== 'none' && reads.includes(spec.name))
}

/** Other dialects' words in an answer, where the version is deaf to them. */
function sayUnread(
  raw: Raw,
  readsNested: boolean,
  { spec }: Event,
  note: (code: Note['code'], message: string) => void,
): void {
  if (raw.decision !== undefined)
    note('note/no-effect', `"decision": this version does not read it on ${spec.name}.`)
  if (raw.hookSpecificOutput !== undefined && !readsNested)
    note('note/no-effect', '"hookSpecificOutput": this version does not look inside it.')
}

/** Known fields of the right type, of those that the event honours. */
function check(
  said: ReadonlyMap<AnswerFieldName, unknown>,
  { spec, profile }: Event,
  note: (code: Note['code'], message: string) => void,
  wrong: (message: string) => void,
): Answer {
  const answer: Record<string, unknown> = {}
  for (const [name, value] of said) {
    const field = spec.answer[name]
    if (!field) {
      // Where a deny is heard in either word, a misspelt one is heard, too.
      const { schema, expected } = ANSWER_FIELDS[name]
      const isHeard = HANDLED_BY_GATE.has(name) && spec.gate !== 'none' && profile.answer.denyHolds
      if (isHeard && !v.is(schema, value)) wrong(`"${name}" is ${show(value)}; expected ${expected}.`)
      else if (!HANDLED_BY_GATE.has(name))
        note('note/no-effect', `"${name}" has no effect on ${spec.name} here.`)
    } else if (v.is(field.schema, value)) answer[name] = value
    else wrong(`"${name}" is ${show(value)}; expected ${field.expected}.`)
  }
  return answer as Answer
}

const HANDLED_BY_GATE: ReadonlySet<string> = new Set(['permission', 'continue'])

/** Brings what was said about going on into the one word that the event's gate uses. */
function applyGate(
  answer: Answer,
  said: ReadonlyMap<AnswerFieldName, unknown>,
  { spec, profile }: Event,
  note: (code: Note['code'], message: string) => void,
): void {
  const denies = said.get('permission') === 'deny' || said.get('continue') === false
  if (spec.gate === 'none') {
    forget(answer, 'permission')
    forget(answer, 'continue')
    if (denies) note('note/no-effect', `${spec.name} cannot be stopped.`)
    return
  }
  const { permission } = answer
  const heard = answer.continue === false || (spec.gate === 'permission' && permission === 'deny')
  const blocks = heard || (denies && profile.answer.denyHolds)
  if (denies && !blocks) {
    const unheard = said.get('permission') === 'deny' ? 'permission' : 'continue'
    note('note/no-effect', `"${unheard}" has no effect on ${spec.name} in this version.`)
  }
  if (spec.gate === 'continue') {
    forget(answer, 'permission')
    if (blocks) answer.continue = false
    return
  }
  forget(answer, 'continue')
  if (blocks) answer.permission = 'deny'
  else if (permission === 'ask' && spec.ask === 'denies') {
    answer.permission = 'deny'
    note('note/ask-denied', `${spec.name} cannot ask, so ask counts as deny.`)
  } else if (permission === 'ask' && spec.ask === 'none') {
    forget(answer, 'permission')
    note('note/no-effect', `"ask" has no effect on ${spec.name} in this version.`)
  }
}

/** An object from which something was deleted is slower ever after, and mostly there is nothing to delete. */
const forget = (answer: Answer, name: AnswerFieldName): void => {
  if (answer[name] !== undefined) delete answer[name]
}

/** Follow-ups within their limits, variables with names that may be set. */
function applyLimits(
  answer: Answer,
  hook: HookDefinition,
  { spec, profile, facts }: Event,
  note: (code: Note['code'], message: string) => void,
): void {
  if (answer.followup_message !== undefined) {
    const count = Number(facts.loop_count ?? 0)
    if (answer.followup_message === '') delete answer.followup_message
    else if (spec.followupWhen && facts[spec.followupWhen.field] !== spec.followupWhen.is) {
      delete answer.followup_message
      note(
        'note/followup-status',
        `${spec.followupWhen.field} is not ${spec.followupWhen.is}, so the follow-up is ignored.`,
      )
    } else if (profile.run.loops === 'per-script' && hook.loopLimit !== null && count >= hook.loopLimit) {
      delete answer.followup_message
      note(
        'note/loop-limit',
        `The limit of ${hook.loopLimit} follow-ups in a row is reached, so this one is ignored.`,
      )
    }
  }
  if (!answer.env) return
  for (const name of Object.keys(answer.env)) {
    if (mayBeSet(name)) continue
    const { [name]: _, ...rest } = answer.env
    answer.env = rest
    note('note/env-refused', `The variable ${JSON.stringify(name)} cannot be set.`)
  }
}

const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as a reader of a message should see it. */
const show = (value: unknown): string => {
  const text =
    typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? 'an array'
        : 'an object'
      : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
