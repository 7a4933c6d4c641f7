// The type of a response, for each event from its row.

import type * as v from 'valibot'
import type { AnswerField, AnswerFieldName } from './answer.js'
import type { EVENTS, EventName } from './events.js'

type AnswerOf<E extends EventName> = (typeof EVENTS)[E]['answer']
type Fields<E extends EventName> = {
  -readonly [F in keyof AnswerOf<E>]?: AnswerOf<E>[F] extends AnswerField
    ? v.InferOutput<AnswerOf<E>[F]['schema']>
    : never
} & { [F in Exclude<AnswerFieldName, keyof AnswerOf<E>>]?: undefined }
type Decision = 'permission' | 'continue'
type Message = 'user_message' | 'agent_message'
type Plain<T> = { [F in keyof T]: T[F] }

/**
 * The fields that a script may print for this event. Where an event can be stopped, a message needs a decision beside it.
 * The compiler does not reject unknown keys in what a function returns; this rule makes it reject a misspelt `permission`.
 */
export type ResponseFields<E extends EventName> = E extends EventName
  ? keyof AnswerOf<E> extends never
    ? Record<string, never>
    : (typeof EVENTS)[E]['gate'] extends 'none'
      ? Plain<Fields<E>>
      : Decided<Fields<E>>
  : never

type Decided<T> =
  | { [D in keyof T & Decision]: Plain<T & Required<Pick<T, D>>> }[keyof T & Decision]
  | Plain<Omit<T, Message> & { [F in Message]?: undefined }>
