// The fields from a host → the payload for hooks: accepts the spelling of every version, checks, completes, and writes
// it in the spelling of the requested version.

import * as v from 'valibot'
import type { EventRow } from './event-row.js'
import type { EVENTS, EventName, EventSpec } from './events.js'
import { always, conversation } from './fields.js'
import { checkLimits, copyJson, parseJson, setOwn, writeJson } from './json.js'
import type { Profile } from './profiles.js'

type EntriesOf<E extends EventName> = (typeof EVENTS)[E]['payload']
type InputOf<T> = T extends v.ObjectEntries ? v.InferInput<v.ObjectSchema<T, undefined>> : never
type OutputOf<T> = T extends v.ObjectEntries ? v.InferOutput<v.ObjectSchema<T, undefined>> : never
type Common = v.InferOutput<v.ObjectSchema<typeof always, undefined>>
type Conversation = v.InferOutput<v.ObjectSchema<typeof conversation, undefined>>

/** The fields of an event from a host; the engine adds the common ones. */
export type EventFields<E extends EventName = EventName> = E extends EventName
  ? InputOf<EntriesOf<E>> & Partial<Omit<Conversation, 'conversation_id'>>
  : never

/** What a hook reads on stdin. */
export type Payload<E extends EventName = EventName> = E extends EventName
  ? OutputOf<EntriesOf<E>> &
      Common &
      ((typeof EVENTS)[E]['conversation'] extends true ? Conversation : unknown) & { hook_event_name: E }
  : never

export type AnyFields = Readonly<Record<string, unknown>>

export interface FieldProblem {
  readonly path: string
  readonly message: string
}

const schemas = new Map<EventName, v.GenericSchema<AnyFields, Record<string, unknown>>>()

/** The schema of an event's own fields; unknown fields pass through. */
const fieldsSchema = (spec: EventRow & { name: EventName }) => {
  let schema = schemas.get(spec.name)
  if (!schema) {
    schema = v.looseObject(spec.payload) as unknown as v.GenericSchema<AnyFields, Record<string, unknown>>
    schemas.set(spec.name, schema)
  }
  return schema
}

/** The schema of the complete payload, for JSON Schema and for the reference. */
export const payloadSchema = (spec: EventRow) =>
  v.looseObject({ ...always, ...(spec.conversation ? conversation : {}), ...spec.payload })

export type Accepted =
  | { readonly ok: true; readonly fields: Record<string, unknown> }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] }

/** A frozen copy of the host's fields: hooks judge this copy, and it is what then runs. */
export function copyFields(given: unknown): Accepted {
  if (!isFields(given)) return refused('', `The payload is ${kindOf(given)}; expected an object.`)
  const fields: Record<string, unknown> = {}
  let key = ''
  try {
    for (key of Object.keys(given)) {
      const value = copyJson((given as AnyFields)[key], 2, key)
      // The fields of an event are checked as numbers; only nested values keep digits beyond a number.
      if (value !== undefined)
        setOwn(fields, key.toWellFormed(), value instanceof Number ? Number(value) : value)
    }
    return { ok: true, fields }
  } catch (error) {
    return unwritable(key, error)
  }
}

/** Checks the host's fields. Fills optional fields; names what is missing or wrong. */
export function acceptFields(spec: EventSpec, fields: AnyFields): Accepted {
  let todays: AnyFields
  try {
    todays = spec.accepts ? inTodaysWords(spec, fields) : withInput(spec, fields)
  } catch (error) {
    return unwritable('tool_input', error)
  }
  const result = v.safeParse(fieldsSchema(spec), todays)
  if (result.success) return { ok: true, fields: withAllKeys(result.output, todays) }
  const problems = result.issues.map(issue => {
    const path = (issue.path ?? []).map(step => String(step.key)).join('.')
    return { path, message: describeIssue(path, issue) }
  })
  return { ok: false, problems }
}

/**
 * The library that checks leaves out the keys `__proto__`, `prototype` and `constructor`. A hook must see them, so
 * objects of the host are passed on as they are; none of them has fields that are filled in.
 */
function withAllKeys(checked: Record<string, unknown>, given: AnyFields): Record<string, unknown> {
  for (const key of Object.keys(given)) {
    const value = given[key]
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isObject || !Object.hasOwn(checked, key)) setOwn(checked, key, value)
  }
  return checked
}

const texts = new WeakMap<AnyFields, string>()

/** The payload as JSON, written once for all hooks. Throws where `writePayload` returns problems. */
export function payloadText(payload: AnyFields): string {
  let text = texts.get(payload)
  if (text === undefined) {
    text = writeJson(payload)
    texts.set(payload, text)
  }
  return text
}

/** A copy for a function hook: the same values that a script would read, and changes to it reach no other hook. */
export const payloadCopy = (payload: AnyFields): Record<string, unknown> => JSON.parse(payloadText(payload))

/**
 * Writes the payload as JSON before hooks start: a value that cannot be written is an error of the call. So is an input
 * in JSON text that a hook could not parse.
 */
export function writePayload(payload: AnyFields): Accepted {
  const { tool_input: input } = payload
  try {
    if (typeof input === 'string') checkText(input)
    payloadText(payload)
    return { ok: true, fields: payload }
  } catch (error) {
    return unwritable(typeof input === 'string' ? 'tool_input' : '', error)
  }
}

/** A parser may reach its limits before it sees that a text is not JSON. */
function checkText(text: string): void {
  const value = parsedOrText(text)
  if (value === text) checkLimits(text)
  else copyJson(value, 2)
}

function parsedOrText(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

const unwritable = (key: string, error: unknown): Accepted =>
  refused(key, `"${key}" cannot be written as JSON: ${messageOf(error)}.`)

const refused = (path: string, message: string): Accepted => ({ ok: false, problems: [{ path, message }] })

function isFields(value: unknown): value is object {
  try {
    return Object.prototype.toString.call(value) === '[object Object]'
  } catch {
    return false
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object of another kind' : `a ${typeof value}`
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/\.$/, '') : 'its getter threw'

/** The payload in the form of one version, with the fields that this version has. */
export function inVersion(profile: Profile, spec: EventSpec, payload: AnyFields): AnyFields {
  const change = profile.events[spec.name]?.payload
  if (profile.name === 'holdfast') return payload
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(payload)) {
    const isCommon = key in always || key in conversation
    if (isCommon && !profile.common.includes(key) && !change?.keep?.includes(key)) continue
    if (change?.drop?.includes(key)) continue
    const seconds = change?.seconds?.includes(key) && typeof value === 'number'
    out[change?.rename?.[key] ?? key] = seconds ? value / 1000 : value
  }
  if (change?.attachmentKey && Array.isArray(out.attachments)) {
    out.attachments = out.attachments.map(({ file_path, ...rest }) => ({ ...rest, filePath: file_path }))
  }
  return out
}

function inTodaysWords(spec: EventSpec, fields: AnyFields): AnyFields {
  const out: Record<string, unknown> = { ...fields }
  for (const [old, name] of Object.entries(spec.accepts ?? {})) {
    if (out[name] === undefined && out[old] !== undefined && !(old in spec.payload)) {
      out[name] = out[old]
      delete out[old]
    }
  }
  if (Array.isArray(out.attachments)) out.attachments = out.attachments.map(attachmentInTodaysWords)
  return withInput(spec, out)
}

const attachmentInTodaysWords = (item: unknown) => {
  if (item === null || typeof item !== 'object' || 'file_path' in item || !('filePath' in item)) return item
  const { filePath, ...rest } = item
  return { ...rest, file_path: filePath }
}

/**
 * MCP events carry their input as a JSON string, tool events as an object; take either for either. A host passes integers
 * beyond 2^53 as text, since its own numbers are rounded already.
 */
function withInput(spec: EventSpec, fields: AnyFields): AnyFields {
  const given = fields.tool_input
  const wanted = spec.payload.tool_input
  if (given === undefined || wanted === undefined) return fields
  if (v.is(wanted, given))
    return typeof given === 'string' ? { ...fields, tool_input: wellFormedJson(given) } : fields
  if (typeof given === 'object' && given !== null) return { ...fields, tool_input: writeJson(given) }
  return typeof given === 'string' ? { ...fields, tool_input: copyJson(parsedOrText(given), 2) } : fields
}

/** JSON may contain half a surrogate pair as an escape. Without one, not even white space is changed. */
function wellFormedJson(text: string): string {
  if (!/\\u[dD]/.test(text)) return text
  const value = parsedOrText(text)
  const hasHalf = typeof value === 'object' && /\\ud/.test(JSON.stringify(value))
  return hasHalf ? writeJson(copyJson(value, 2)) : text
}

function describeIssue(path: string, issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return `"${path}" is missing.`
  return `"${path}" is ${issue.received.slice(0, 80)}; expected ${inWords(issue.expected)}.`
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Object: 'an object',
  Array: 'an array',
}

const inWords = (expected: string | null) =>
  expected ? (WORDS[expected] ?? expected.replaceAll('"', '')) : 'something else'
