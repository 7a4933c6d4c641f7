// What a handler may say. Each answer carries the words it needs, and an event takes only those that its row has: an
// answer that the event cannot give does not compile.

import type { EVENTS, EventName } from '../protocol/events.js'

type Rows = typeof EVENTS
type Has<
  E extends EventName,
  Field extends string,
  Word extends string,
> = Field extends keyof Rows[E]['answer'] ? Word : never

/** The words of an event. */
export type WordsOf<E extends EventName> =
  | (Rows[E]['gate'] extends 'none' ? Has<E, 'user_message', 'notice'> : 'allow' | 'deny')
  | (Rows[E]['ask'] extends 'asks' ? 'ask' : never)
  | Has<E, 'agent_message', 'agent'>
  | Has<E, 'followup_message', 'followup'>
  | Has<E, 'additional_context', 'context'>
  | Has<E, 'updated_input' | 'updated_mcp_tool_output', 'rewrite'>
  | Has<E, 'env', 'env'>
  | Has<E, 'pluginPaths', 'plugins'>

export type Word =
  | 'allow'
  | 'deny'
  | 'ask'
  | 'agent'
  | 'notice'
  | 'followup'
  | 'context'
  | 'rewrite'
  | 'env'
  | 'plugins'

declare const needs: unique symbol

/** An answer that needs these words. Made by the functions below. */
export interface Said<W extends Word = Word> {
  readonly [needs]: W
}

/** What is inside, for the renderer. */
export interface Inside {
  readonly word: Word
  readonly user?: string
  readonly agent?: string
  readonly text?: string
  readonly value?: unknown
}

/** One answer, several that go together, or nothing: no objection. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that ends without a return says nothing.
export type Reply<E extends EventName> = Said<WordsOf<E>> | readonly Said<WordsOf<E>>[] | undefined | void

/** A symbol of the whole process: a test may load this module twice. */
const MADE = Symbol.for('holdfast.answer')

export const isSaid = (value: unknown): value is Inside =>
  typeof value === 'object' && value !== null && MADE in value

const said = <W extends Word>(inside: Inside): Said<W> => ({ ...inside, [MADE]: true }) as unknown as Said<W>

/** The action may go on, and need not be asked about. To have no objection, return nothing. */
export const allow = (): Said<'allow'> => said({ word: 'allow' })

/** Stops the action. The first text is for the person, `agent` for the model. */
export function deny(user?: string): Said<'deny'>
export function deny(user: string | undefined, also: { agent: string }): Said<'deny' | 'agent'>
export function deny(user?: string, { agent }: { agent?: string } = {}): Said<'deny' | 'agent'> {
  return said({ word: 'deny', ...texts(user, agent) })
}

/** Puts the question to the person. */
export function ask(user?: string): Said<'ask'>
export function ask(user: string | undefined, also: { agent: string }): Said<'ask' | 'agent'>
export function ask(user?: string, { agent }: { agent?: string } = {}): Said<'ask' | 'agent'> {
  return said({ word: 'ask', ...texts(user, agent) })
}

/** Goes on with this as the next message. */
export const followup = (text: string): Said<'followup'> => said({ word: 'followup', text })

/** Adds this to what the model reads. */
export const context = (text: string): Said<'context'> => said({ word: 'context', text })

/** Replaces these keys of a tool's input before the call; after it, the output of an MCP tool. */
export const rewrite = (value: Readonly<Record<string, unknown>>): Said<'rewrite'> =>
  said({ word: 'rewrite', value })

/** Variables for later hooks of this session. */
export const env = (value: Readonly<Record<string, string>>): Said<'env'> => said({ word: 'env', value })

/** A line for the person, where nothing can be stopped. */
export const notice = (text: string): Said<'notice'> => said({ word: 'notice', text })

/** Absolute folders of further plugins. */
export const plugins = (paths: readonly string[]): Said<'plugins'> => said({ word: 'plugins', value: paths })

const texts = (user: string | undefined, agent: string | undefined) => ({
  ...(user === undefined ? {} : { user }),
  ...(agent === undefined ? {} : { agent }),
})
