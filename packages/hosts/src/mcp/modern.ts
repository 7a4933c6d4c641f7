// What revision 2026-07-28 of MCP carries in each request instead of a handshake: version, capabilities, identity.

import { isObject, type Message } from './message.js'

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

export interface Meta {
  readonly version: string
  /** The client can show a form to the user. */
  readonly canAsk: boolean
}

/** Undefined for a request of an earlier revision, whose session began with `initialize`. */
export function metaOf({ params }: Message): Meta | undefined {
  const meta = params?._meta
  const version = isObject(meta) ? meta[META.version] : undefined
  if (!isObject(meta) || typeof version !== 'string') return undefined
  return { version, canAsk: hasForms(meta[META.capabilities]) }
}

export function hasForms(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined
  if (!isObject(elicitation)) return false
  return Object.keys(elicitation).length === 0 || elicitation.form !== undefined
}

/** The name that a server gives itself in the `_meta` of a result. */
export function serverNameIn(result: Readonly<Record<string, unknown>>): string | undefined {
  const info = isObject(result._meta) ? result._meta[META.serverInfo] : undefined
  return nameOf(info)
}

export const nameOf = (info: unknown): string | undefined =>
  isObject(info) && typeof info.name === 'string' && info.name !== '' ? info.name : undefined

/**
 * Not the end of a request: the client gathers what the server asks for and sends the request again. A result that
 * also has content is final, whatever it calls itself, because a client could show it.
 */
export const isInterim = (result: Readonly<Record<string, unknown>>): boolean =>
  result.resultType === 'input_required' &&
  (isObject(result.inputRequests) || typeof result.requestState === 'string') &&
  CONTENT.every(key => result[key] === undefined)

const CONTENT = ['content', 'structuredContent', 'contents', 'messages'] as const

/** The handle of a task, which has the result of the call later. A modern server may make any call a task. */
export function taskIdOf(result: Readonly<Record<string, unknown>>, isModern: boolean): string | null {
  if (CONTENT.some(key => result[key] !== undefined)) return null
  const task = isModern ? result.resultType === 'task' && result : result.task
  return isObject(task) && typeof task.taskId === 'string' ? task.taskId : null
}
