// One JSON object → a Response in canonical fields, as the event and the version honour it, or why it is not one.

import * as v from 'valibot'
import type { HookDefinition } from '../protocol/config.js'
import { editDistance } from '../protocol/edit-distance.js'
import { mayBeSet } from '../protocol/environment.js'
import { MAX_DEPTH } from '../protocol/json.js'
import {
  DECISION_WORDS,
  HOOK_ERROR,
  isDecisive,
  NESTED,
  OTHER_FIELDS,
  RESPONSE_ALIASES,
  RESPONSE_FIELDS,
  type Response,
  type ResponseFieldName,
} from '../protocol/response-fields.js'
import type { Event, Failure, Note } from '../protocol/run.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { PrintedObject } from './find-objects.js'

export interface ReadResponse {
  readonly answer: Response
  readonly notes: readonly Note[]
  /** Why the response is invalid; `answer` still has its valid fields. */
  readonly failure?: Failure
  /** The program failed, and its SDK printed what its error policy decides. */
  readonly reported?: Failure
}

type Raw = Readonly<Record<string, unknown>>

/** What is known of a response while it is read. */
interface Reader {
  readonly hook: HookDefinition
  readonly event: Event
  readonly values: Map<ResponseFieldName, unknown>
  readonly note: (code: Note['code'], message: string) => void
  readonly fail: (message: string) => void
}

export function readResponse(object: PrintedObject, hook: HookDefinition, event: Event): ReadResponse {
  const { value: raw, isTooDeep } = object
  const notes: Note[] = []
  let failure: Failure | undefined
  const reader: Reader = {
    hook,
    event,
    values: new Map(),
    note: (code, message) => notes.push({ code, message }),
    fail: message => {
      failure ??= { code: 'run/bad-shape', message }
    },
  }
  if (isTooDeep) failure = { code: 'run/invalid-json', message: `It is nested over ${MAX_DEPTH} deep.` }

  takeNested(raw, reader)
  takeFields(raw, reader)
  takeDecision(raw, reader)
  checkNames(raw, reader)

  const answer = takeValid(reader)
  applyGate(answer, reader)
  applyLimits(answer, reader)
  return { answer, notes, ...(failure ? { failure } : {}), ...reportedFailure(raw) }
}

function reportedFailure(raw: Raw): { reported?: Failure } {
  const message = raw[HOOK_ERROR]
  return typeof message === 'string' ? { reported: { code: 'run/threw', message } } : {}
}

/** The nested form of Claude settings. */
function takeNested({ [NESTED]: nested }: Raw, reader: Reader): void {
  const { hook, event, values, note, fail } = reader
  if (nested === undefined) return
  if (hook.dialect !== 'claude' && event.profile.answer.messages !== 'any') {
    note('note/no-effect', '"hookSpecificOutput": this version does not read it.')
    return
  }
  if (!isObject(nested)) {
    fail(`"hookSpecificOutput" is ${show(nested)}; expected an object.`)
    return
  }
  if (hook.dialect === 'native') note('note/nested', 'The response is nested in hookSpecificOutput.')
  for (const [name, field] of Object.entries(NESTED_FIELDS)) {
    if (nested[name] !== undefined) values.set(field, nested[name])
  }
  takeDecision(nested, reader)
  unknownNames(nested, NESTED_NAMES, reader)
}

const NESTED_FIELDS: Readonly<Record<string, ResponseFieldName>> = {
  permissionDecision: 'permission',
  permissionDecisionReason: 'user_message',
  updatedInput: 'updated_input',
  additionalContext: 'additional_context',
}
const NESTED_NAMES = [...Object.keys(NESTED_FIELDS), 'decision']

/** Canonical names and, where the version reads them, camelCase ones. A canonical name wins over its alias. */
function takeFields(raw: Raw, { hook, event, values, note }: Reader): void {
  const { messages } = event.profile.answer
  const readsAliases = messages !== 'snake' || hook.dialect === 'claude'
  const aliases = Object.keys(raw).filter(key => Object.hasOwn(RESPONSE_ALIASES, key))
  if (aliases.length > 0) {
    if (readsAliases) for (const alias of aliases) values.set(RESPONSE_ALIASES[alias]!, raw[alias])
    const names = aliases.map(name => `"${name}"`).join(', ')
    note(
      readsAliases ? 'note/camel-case' : 'note/no-effect',
      `${names}: this version reads ${readsAliases ? 'it' : 'snake_case only'}.`,
    )
  }
  for (const key of Object.keys(raw)) {
    if (!isFieldName(key)) continue
    if (messages === 'camel' && CAMEL_ONLY.has(key)) {
      note('note/no-effect', `"${key}": this version reads camelCase only.`)
    } else if (key === 'permission' && decidesBy(event, hook)) {
      note('note/no-effect', `"permission": this version reads "decision" on ${event.spec.name}.`)
    } else keepStrictest(values, key, raw[key])
  }
}

const isFieldName = (key: string): key is ResponseFieldName => Object.hasOwn(RESPONSE_FIELDS, key)

/** In one version `decision` is the only way to decide on some events. */
const decidesBy = ({ spec, profile }: Event, hook: HookDefinition): boolean =>
  hook.type === 'command' &&
  hook.dialect === 'native' &&
  Array.isArray(profile.answer.decision) &&
  profile.answer.decision.includes(spec.name)

const CAMEL_ONLY: ReadonlySet<string> = new Set(['user_message', 'agent_message'])

/** Of two decisions the stricter one is kept. An unknown value may have been a deny; only a deny replaces it. */
function keepStrictest(
  values: Map<ResponseFieldName, unknown>,
  name: ResponseFieldName,
  value: unknown,
): void {
  const isRepeated = isDecision(name) && values.has(name)
  if (!isRepeated || strictnessOf(value) >= strictnessOf(values.get(name))) values.set(name, value)
}

const isDecision = (name: ResponseFieldName): boolean => RESPONSE_FIELDS[name].merge === 'strictest'

const UNKNOWN_VALUE = (STRICTNESS.ask + STRICTNESS.deny) / 2

const strictnessOf = (value: unknown): number => {
  if (typeof value === 'boolean') return value ? STRICTNESS.allow : STRICTNESS.deny
  return value === 'allow' || value === 'ask' || value === 'deny' ? STRICTNESS[value] : UNKNOWN_VALUE
}

/** `decision` and `reason`: a permission with its message, or the text of a follow-up where nothing can be stopped. */
function takeDecision(raw: Raw, { hook, event, values, note, fail }: Reader): void {
  const { spec } = event
  const { decision, reason } = raw
  const decides = decision !== undefined || values.has('permission') || values.has('continue')
  if (decision === undefined && (reason === undefined || spec.gate === 'none' || !decides)) {
    if (reason !== undefined) note('note/no-effect', `"reason" has no effect on ${spec.name} here.`)
    return
  }
  const name = decision === undefined ? 'reason' : 'decision'
  if (!readsDecision(name, hook, event)) {
    note('note/no-effect', `"${name}": this version does not read it on ${spec.name}.`)
    return
  }
  if (hook.dialect === 'native') note('note/decision', 'The response uses decision or reason.')
  const permission = typeof decision === 'string' ? wordOf(decision) : undefined
  if (decision !== undefined && !permission) {
    fail(`"decision" is ${show(decision)}; expected allow, ask or deny.`)
    return
  }
  if (spec.gate !== 'none') {
    if (permission) keepStrictest(values, 'permission', permission)
    if (reason === undefined) return
    const targets = (['user_message', 'agent_message'] as const).filter(
      target => spec.answer[target] && !values.has(target),
    )
    for (const target of targets) values.set(target, reason)
    if (targets.length === 0) note('note/no-effect', `"reason" has no effect on ${spec.name} here.`)
  } else if (permission === 'deny') {
    const target = spec.answer.followup_message ? 'followup_message' : 'additional_context'
    if (spec.answer[target] && !values.has(target)) values.set(target, reason ?? '')
  }
}

const wordOf = (decision: string) =>
  Object.hasOwn(DECISION_WORDS, decision) ? DECISION_WORDS[decision] : undefined

/** Versions that read `decision` on some events read `reason` only beside it. */
const readsDecision = (
  name: 'decision' | 'reason',
  { dialect }: HookDefinition,
  { spec, profile }: Event,
): boolean => {
  const reads = profile.answer.decision
  if (dialect !== 'native' || reads === 'any') return true
  return name === 'decision' && reads !== 'none' && reads.includes(spec.name)
}

/** Cursor ignores unknown fields. Where a deny always holds, a misspelt one is not ignored. */
function checkNames(raw: Raw, reader: Reader): void {
  const unknown = unknownNames(raw, KNOWN_NAMES, reader).filter(
    name => name !== HOOK_ERROR && (reader.hook.dialect === 'native' || !OTHER_FIELDS.includes(name)),
  )
  if (unknown.length === 0) return
  reader.note('note/unknown-field', `Not a field of a response, so ignored: ${showNames(unknown)}.`)
}

const MOST_NAMED = 3

function showNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return names.slice(0, MOST_NAMED).map(show).join(', ') + more
}

const KNOWN_NAMES = [
  ...Object.keys(RESPONSE_FIELDS),
  ...Object.keys(RESPONSE_ALIASES),
  'decision',
  'reason',
  NESTED,
]

/** Names that are not known. One that is a known name with typing errors makes the response invalid. */
function unknownNames(raw: Raw, known: readonly string[], { event, fail }: Reader): string[] {
  if (!event.profile.answer.denyHolds) return []
  const names = Object.keys(raw).filter(name => !known.includes(name))
  if (names.length > MOST_UNKNOWN) fail(`It has ${names.length} fields that are not those of a response.`)
  return names.slice(0, MOST_UNKNOWN).filter(name => {
    const meant = findMeant(name, known)
    if (meant) fail(`${show(name)} is not a field of a response. Did you mean "${meant}"?`)
    else if (isDecisive(name)) fail(`${show(name)} is not a field at this level of a response.`)
    else return true
    return false
  })
}

/** Comparing names takes time, and no response has so many that are not known. */
const MOST_UNKNOWN = 1000

/**
 * The known name that was probably meant: the same letters in another case, or at most two typing errors away and less
 * than a third of the name. So `permision` means `permission`, and `end` does not mean `env`. A swap of two neighbours
 * is one error.
 */
function findMeant(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase()
  return known.find(other => {
    if (Math.abs(other.length - lower.length) > MOST_ERRORS) return false
    const errors = editDistance(lower, other.toLowerCase())
    return errors <= MOST_ERRORS && errors * 3 < other.length
  })
}

const MOST_ERRORS = 2

/** The fields of the right type, of those that the event honours. */
function takeValid({ event, values, note, fail }: Reader): Response {
  const { spec, profile } = event
  const answer: Record<string, unknown> = {}
  for (const [name, value] of values) {
    const field = spec.answer[name]
    if (!field) {
      // A deny in either field holds, so a misspelt value of either is invalid.
      const { schema, expected } = RESPONSE_FIELDS[name]
      const isRead = isDecision(name) && spec.gate !== 'none' && profile.answer.denyHolds
      if (isRead && !v.is(schema, value)) fail(`"${name}" is ${show(value)}; expected ${expected}.`)
      else if (!isDecision(name)) note('note/no-effect', `"${name}" has no effect on ${spec.name} here.`)
    } else if (v.is(field.schema, value)) answer[name] = value
    else fail(`"${name}" is ${show(value)}; expected ${field.expected}.`)
  }
  return answer as Response
}

/** Expresses the decision in the one field that the event's gate uses. */
function applyGate(answer: Response, { event, values, note }: Reader): void {
  const { spec, profile } = event
  const denies = values.get('permission') === 'deny' || values.get('continue') === false
  if (spec.gate === 'none') {
    remove(answer, 'permission')
    remove(answer, 'continue')
    if (denies) note('note/no-effect', `${spec.name} cannot be stopped.`)
    return
  }
  const { permission } = answer
  const isHonoured = answer.continue === false || (spec.gate === 'permission' && permission === 'deny')
  const blocks = isHonoured || (denies && profile.answer.denyHolds)
  if (denies && !blocks) {
    const ignored = values.get('permission') === 'deny' ? 'permission' : 'continue'
    note('note/no-effect', `"${ignored}" has no effect on ${spec.name} in this version.`)
  }
  if (spec.gate === 'continue') {
    remove(answer, 'permission')
    if (values.get('permission') === 'ask') note('note/no-effect', `${spec.name} cannot ask.`)
    if (blocks) answer.continue = false
    return
  }
  remove(answer, 'continue')
  if (blocks) answer.permission = 'deny'
  else if (permission === 'ask' && spec.ask === 'denies') {
    answer.permission = 'deny'
    note('note/ask-denied', `${spec.name} cannot ask, so ask counts as deny.`)
  } else if (permission === 'ask' && spec.ask === 'none') {
    remove(answer, 'permission')
    note('note/no-effect', `"ask" has no effect on ${spec.name} in this version.`)
  }
}

/** Deleting a key makes an object slower for good, and mostly there is nothing to delete. */
const remove = (answer: Response, name: ResponseFieldName): void => {
  if (name in answer) delete answer[name]
}

function applyLimits(answer: Response, { hook, event, note }: Reader): void {
  const { spec, profile, fields } = event
  if (answer.followup_message !== undefined) {
    const count = Number(fields.loop_count ?? 0)
    if (answer.followup_message === '') delete answer.followup_message
    else if (spec.followupWhen && fields[spec.followupWhen.field] !== spec.followupWhen.is) {
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
  const refused = Object.keys(answer.env).filter(name => !mayBeSet(name))
  if (refused.length === 0) return
  answer.env = Object.fromEntries(Object.entries(answer.env).filter(([name]) => mayBeSet(name)))
  note('note/env-refused', `These variables cannot be set: ${showNames(refused)}.`)
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
