// What revision 2026-07-28 of MCP carries in each request instead of a handshake: version, capabilities, identity.

import { isObject, type Message } from './message.js'

export const MODERN = '2026-07-28'
export const LEGACY = '2025-11-25'

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
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

/** The `_meta` of requests in the name of a client that sent `initialize`. */
export function modernMeta({ params }: Message): string {
  const { tasks: _, ...capabilities } = isObject(params?.capabilities) ? params.capabilities : {}
  return JSON.stringify({
    [META.version]: MODERN,
    [META.capabilities]: capabilities,
    [META.clientInfo]: params?.clientInfo ?? { name: 'unknown', version: '0' },
  })
}

export function hasForms(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined
  if (!isObject(elicitation)) return false
  return Object.keys(elicitation).length === 0 || elicitation.form !== undefined
}

/** The name that a server gives itself in the `_meta` of a result. */
export const serverNameIn = (result: Readonly<Record<string, unknown>>): string | undefined =>
  nameOf(serverInfoIn(result))

export const serverInfoIn = ({ _meta }: Readonly<Record<string, unknown>>): unknown =>
  isObject(_meta) ? _meta[META.serverInfo] : undefined

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
