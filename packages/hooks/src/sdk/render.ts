// The result of a handler → the one JSON object that is printed, in the field names that the calling version reads.

import type { EventName } from '../protocol/events.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Decision } from '../protocol/verdict.js'
import { versionOf } from './normalise.js'
import { isHookResponse, type ResponseContent, type ResponseKind } from './responses.js'
import type { Row } from './row.js'
import { ROWS } from './rows.js'

type Fields = Record<string, unknown>

/** For functions in the host: renders SDK responses, and passes any other JSON value on to be read as from a script. */
export function renderReply(event: EventName, result: unknown, payload: Fields): unknown {
  const parts = [result].flat()
  if (parts.some(isHookResponse) || parts.every(part => part === undefined || part === null))
    return render(event, result, payload)
  // A generator, a Map or an Error would become {}, whatever it contains.
  if (!isPlain(result) && typeof result === 'object' && Object.keys(result!).length === 0)
    throw new TypeError(`${describe(result)} is not a response`)
  return result
}

/** Throws if the result is not a valid response to the event. */
export function render(event: EventName, result: unknown, payload: Fields): Fields {
  const row: Row = ROWS[event]
  const response: Fields = {}
  for (const part of Array.isArray(result) ? result : [result]) {
    if (part === undefined || part === null) continue
    const fields = isHookResponse(part) ? fieldsOf(part, row) : plainFields(part, row)
    if (!fields) {
      const name = isHookResponse(part) ? `${part.kind}()` : describe(part)
      throw new TypeError(`${name} is not a response to ${event}; ${describeAccepted(event, row)}`)
    }
    merge(response, fields)
  }
  return addOldNames(response, row, versionOf(payload))
}

/** The strictest decision; texts are joined; later keys replace earlier ones. */
function merge(response: Fields, fields: Fields): void {
  const strictnessOf = ({ permission = 'abstain' }: Fields) => STRICTNESS[permission as Decision]
  if (strictnessOf(fields) < strictnessOf(response)) delete fields.permission
  if (response.continue === false) delete fields.continue
  for (const [name, value] of Object.entries(fields)) {
    const old = response[name]
    if (typeof old === 'object' && old !== null)
      response[name] = Array.isArray(old) ? [...old, ...(value as [])] : { ...old, ...(value as object) }
    else if (typeof old === 'string' && name !== 'permission' && name !== 'updated_prompt')
      response[name] = `${old}\n\n${value}`
    else response[name] = value
  }
}

/** The fields of each kind that does not decide; the event has at most one of them. */
const FIELDS: Readonly<Partial<Record<ResponseKind, readonly string[]>>> = {
  followup: ['followup_message'],
  context: ['additional_context'],
  rewrite: ['updated_input', 'updated_mcp_tool_output'],
  reword: ['updated_prompt'],
  env: ['env'],
  plugins: ['pluginPaths'],
}
const KINDS = ['allow', 'deny', 'ask', 'notice', ...Object.keys(FIELDS)] as ResponseKind[]

/** Undefined if the event does not accept this kind of response. */
function fieldsOf({ kind, user, agent, text, value }: ResponseContent, row: Row): Fields | undefined {
  const hasField = (name: string) => row.answer.includes(name)
  const content = () => (value === undefined ? checkText(kind, text) : value)
  if (kind === 'notice')
    return row.gate === 'none' && hasField('user_message') ? { user_message: content() } : undefined
  if (kind !== 'allow' && kind !== 'deny' && kind !== 'ask') {
    const name = FIELDS[kind]?.find(hasField)
    return name === undefined ? undefined : { [name]: content() }
  }
  if (row.gate === 'none' || (kind === 'ask' && row.ask !== 'asks')) return undefined
  return {
    ...(row.gate === 'continue' ? { continue: kind === 'allow' } : { permission: kind }),
    ...(user === undefined ? {} : { user_message: checkText(kind, user) }),
    ...(agent === undefined || !hasField('agent_message') ? {} : { agent_message: checkText(kind, agent) }),
  }
}

/** An object in the fields that scripts print. A misspelt field or decision may have been a deny, so it is an error. */
function plainFields(part: unknown, row: Row): Fields | undefined {
  if (!isPlain(part)) return undefined
  const fields = { ...part }
  const unknown = Object.keys(fields).find(name => !row.answer.includes(name))
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is not a field of the response`)
  const { permission, continue: goesOn } = fields
  if (permission !== undefined && !['allow', 'ask', 'deny'].includes(permission as string))
    throw new TypeError(`"permission" is ${describe(permission)}; expected "allow", "ask" or "deny"`)
  if (goesOn !== undefined && typeof goesOn !== 'boolean')
    throw new TypeError(`"continue" is ${describe(goesOn)}; expected true or false`)
  return fields
}

/** An object without a class, from any realm. */
function isPlain(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function checkText(kind: ResponseKind, text: unknown): string {
  if (typeof text === 'string') return text
  throw new TypeError(`${kind}() takes a string, not ${describe(text)}`)
}

/** Up to 2.1 a version does not send its number, and the first of them reads camelCase only. */
function addOldNames(response: Fields, row: Row, version: string | undefined): Fields {
  const out: Fields = { ...response }
  if (version === undefined) {
    if ('user_message' in response) out.userMessage = response.user_message
    if ('agent_message' in response) out.agentMessage = response.agent_message
  } else if (row.decision?.includes(version) && response.permission !== undefined) {
    out.decision = response.permission
    const reason = response.agent_message ?? response.user_message
    if (reason !== undefined) out.reason = reason
  }
  return out
}

function describeAccepted(event: EventName, row: Row): string {
  const kinds = KINDS.filter(kind => fieldsOf({ kind, text: '', value: {} }, row))
  return kinds.length > 0
    ? `${event} accepts ${kinds.map(kind => `${kind}()`).join(', ')}, or nothing`
    : `${event} accepts no response`
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null)
    return `an object (${value.constructor?.name ?? 'no class'})`
  return typeof value === 'function' || typeof value === 'symbol'
    ? `a ${typeof value}`
    : (JSON.stringify(value) ?? String(value))
}
