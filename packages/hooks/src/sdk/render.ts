// Answers → the one JSON object that is printed, in words that the version at hand reads.

import type { EventName } from '../protocol/events.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Opinion } from '../protocol/verdict.js'
import { type Inside, isSaid, type Word } from './answers.js'
import { versionOf } from './normal.js'
import type { Row } from './row.js'
import { ROWS } from './rows.js'

type Fields = Record<string, unknown>

/** Responses that the SDK made, as the fields that a script prints; any other value as it is. */
export function renderReply(event: EventName, reply: unknown, payload: Fields): unknown {
  const isMade = [reply].flat().every(each => each === undefined || each === null || isSaid(each))
  return isMade ? render(event, reply, payload) : reply
}

/** Throws if a value is not a response of the SDK, or not one that the event takes. */
export function render(event: EventName, reply: unknown, payload: Fields): Fields {
  const row: Row = ROWS[event]
  const answer: Fields = {}
  for (const each of Array.isArray(reply) ? reply : [reply]) {
    if (each === undefined || each === null) continue
    if (!isSaid(each))
      throw new TypeError(`the handler of ${event} returned ${what(each)}; ${takes(event, row)}`)
    const fields = fieldsOf(each, row)
    if (!fields) throw new TypeError(`${each.word}() is not an answer to ${event}; ${takes(event, row)}`)
    join(answer, fields)
  }
  return inOldWords(answer, row, versionOf(payload))
}

/** Several answers are one: the strictest permission, texts below each other, later keys over earlier ones. */
function join(answer: Fields, fields: Fields): void {
  const strictnessOf = ({ permission = 'abstain' }: Fields) => STRICTNESS[permission as Opinion]
  if (strictnessOf(fields) < strictnessOf(answer)) delete fields.permission
  if (answer.continue === false) delete fields.continue
  for (const [name, value] of Object.entries(fields)) {
    const old = answer[name]
    if (typeof old === 'object' && old !== null)
      answer[name] = Array.isArray(old) ? [...old, ...(value as [])] : { ...old, ...(value as object) }
    else if (typeof old === 'string' && name !== 'permission') answer[name] = `${old}\n\n${value}`
    else answer[name] = value
  }
}

/** Undefined when the event takes no such answer. */
function fieldsOf({ word, user, agent, text, value }: Inside, row: Row): Fields | undefined {
  const takesField = (name: string) => row.answer.includes(name)
  const messages = {
    ...(user === undefined ? {} : { user_message: check(word, user) }),
    ...(agent === undefined || !takesField('agent_message') ? {} : { agent_message: check(word, agent) }),
  }
  switch (word) {
    case 'allow':
    case 'deny':
      if (row.gate === 'none') return undefined
      return row.gate === 'continue'
        ? { continue: word === 'allow', ...messages }
        : { permission: word, ...messages }
    case 'ask':
      return row.ask === 'asks' ? { permission: word, ...messages } : undefined
    case 'notice':
      return row.gate === 'none' && takesField('user_message')
        ? { user_message: check(word, text) }
        : undefined
    case 'followup':
      return takesField('followup_message') ? { followup_message: check(word, text) } : undefined
    case 'context':
      return takesField('additional_context') ? { additional_context: check(word, text) } : undefined
    case 'rewrite': {
      const field = ['updated_input', 'updated_mcp_tool_output'].find(takesField)
      return field ? { [field]: value } : undefined
    }
    case 'env':
      return takesField('env') ? { env: value } : undefined
    default:
      return takesField('pluginPaths') ? { pluginPaths: value } : undefined
  }
}

function check(word: Word, text: unknown): string {
  if (typeof text === 'string') return text
  throw new TypeError(`${word}() takes a text, not ${what(text)}`)
}

/** Until 2.1 a version does not say which it is, and the first of them reads camelCase. */
function inOldWords(answer: Fields, row: Row, version: string | undefined): Fields {
  const out: Fields = { ...answer }
  if (version === undefined) {
    if ('user_message' in answer) out.userMessage = answer.user_message
    if ('agent_message' in answer) out.agentMessage = answer.agent_message
  } else if (row.decision?.includes(version) && answer.permission !== undefined) {
    out.decision = answer.permission
    const reason = answer.agent_message ?? answer.user_message
    if (reason !== undefined) out.reason = reason
  }
  return out
}

function takes(event: EventName, row: Row): string {
  const words = WORDS.filter(word => fieldsOf({ word, text: '', value: {} }, row))
  return words.length > 0
    ? `${event} takes ${words.map(word => `${word}()`).join(', ')}, or nothing`
    : `${event} takes no answer`
}

const WORDS: readonly Word[] = [
  'allow',
  'deny',
  'ask',
  'notice',
  'followup',
  'context',
  'rewrite',
  'env',
  'plugins',
]

const what = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object of its own'
  return typeof value === 'function'
    ? 'a function'
    : `${typeof value === 'string' ? 'a text' : String(value)}`
}
