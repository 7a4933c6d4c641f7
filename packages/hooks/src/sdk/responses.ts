// The responses that a handler may return. Each has a kind, and an event accepts only the kinds that its table row
// supports: returning any other one is a type error.

import type { EVENTS, EventName } from '../protocol/events.js'

type Rows = typeof EVENTS
type IfField<
  E extends EventName,
  Field extends string,
  Kind extends string,
> = Field extends keyof Rows[E]['answer'] ? Kind : never

/** The kinds of response that an event accepts. */
export type ResponseKindOf<E extends EventName> =
  | (Rows[E]['gate'] extends 'none' ? IfField<E, 'user_message', 'notice'> : 'allow' | 'deny')
  | (Rows[E]['ask'] extends 'asks' ? 'ask' : never)
  | IfField<E, 'agent_message', 'agent'>
  | IfField<E, 'followup_message', 'followup'>
  | IfField<E, 'additional_context', 'context'>
  | IfField<E, 'updated_input' | 'updated_mcp_tool_output', 'rewrite'>
  | IfField<E, 'updated_prompt', 'reword'>
  | IfField<E, 'env', 'env'>
  | IfField<E, 'pluginPaths', 'plugins'>

export type ResponseKind = { [E in EventName]: ResponseKindOf<E> }[EventName]

declare const kinds: unique symbol

/** A response of these kinds. Made by the functions below. */
export interface HookResponse<K extends ResponseKind = ResponseKind> {
  readonly [kinds]: K
}

/** The content of a HookResponse, for the renderer. */
export interface ResponseContent {
  readonly kind: ResponseKind
  readonly user?: string | undefined
  readonly agent?: string | undefined
  readonly text?: string
  readonly value?: unknown
}

/** One response, several that are merged, or nothing to abstain. */
export type HandlerResult<E extends EventName> =
  | HookResponse<ResponseKindOf<E>>
  | readonly HookResponse<ResponseKindOf<E>>[]
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement abstains.
  | void

/** Registered globally: a test may load this module twice. */
const BRAND = Symbol.for('holdfast.response')

export const isHookResponse = (value: unknown): value is ResponseContent =>
  typeof value === 'object' && value !== null && BRAND in value

const make = <K extends ResponseKind>(content: ResponseContent): HookResponse<K> =>
  ({ ...content, [BRAND]: true }) as unknown as HookResponse<K>

/** Allows the action without a question to the user. To abstain, return nothing. */
export const allow = (): HookResponse<'allow'> => make({ kind: 'allow' })

interface Decide<K extends ResponseKind> {
  (user?: string): HookResponse<K>
  (user: string | undefined, also: { agent: string }): HookResponse<K | 'agent'>
}

const decide = <K extends ResponseKind>(kind: K): Decide<K> =>
  ((user?: string, also?: { agent: string }) => make({ kind, user, agent: also?.agent })) as Decide<K>

/** Stops the action. The first message is for the user, `agent` for the model. */
export const deny = decide('deny')

/** Asks the user. */
export const ask = decide('ask')

/** Continues with this text as the next message. */
export const followup = (text: string): HookResponse<'followup'> => make({ kind: 'followup', text })

/** Adds this text to the context of the model. */
export const context = (text: string): HookResponse<'context'> => make({ kind: 'context', text })

/** Replaces these keys of a tool's input before the call, or the output of an MCP tool after it. */
export const rewrite = (value: Readonly<Record<string, unknown>>): HookResponse<'rewrite'> =>
  make({ kind: 'rewrite', value })

/** Replaces the message of the user before it is sent. */
export const reword = (text: string): HookResponse<'reword'> => make({ kind: 'reword', text })

/** Sets variables for later hooks of this session. */
export const env = (value: Readonly<Record<string, string>>): HookResponse<'env'> =>
  make({ kind: 'env', value })

/** Shows a message to the user on an event that cannot be stopped. */
export const notice = (text: string): HookResponse<'notice'> => make({ kind: 'notice', text })

/** Adds plugins by the absolute paths of their folders. */
export const plugins = (paths: readonly string[]): HookResponse<'plugins'> =>
  make({ kind: 'plugins', value: paths })
