// The type of a response, for each event from its row.

import type * as v from 'valibot'
import type { EVENTS, EventName } from './events.js'
import type { ResponseField, ResponseFieldName } from './response-fields.js'

type ResponseOf<E extends EventName> = (typeof EVENTS)[E]['answer']
type Fields<E extends EventName> = {
  -readonly [F in keyof ResponseOf<E>]?: ResponseOf<E>[F] extends ResponseField
    ? v.InferOutput<ResponseOf<E>[F]['schema']>
    : never
} & { [F in Exclude<ResponseFieldName, keyof ResponseOf<E>>]?: undefined }
type Decision = 'permission' | 'continue'
type Message = 'user_message' | 'agent_message'
type Plain<T> = { [F in keyof T]: T[F] }

/**
 * The fields that a script may print for this event. Where an event can be stopped, a message needs a decision beside it.
 * The compiler does not reject unknown keys in what a function returns; this rule makes it reject a misspelt `permission`.
 */
export type ResponseFields<E extends EventName> = E extends EventName
  ? keyof ResponseOf<E> extends never
    ? Record<string, never>
    : (typeof EVENTS)[E]['gate'] extends 'none'
      ? Plain<Fields<E>>
      : Decided<Fields<E>>
  : never

type Decided<T> =
  | { [D in keyof T & Decision]: Plain<T & Required<Pick<T, D>>> }[keyof T & Decision]
  | Plain<Omit<T, Message> & { [F in Message]?: undefined }>
