// The part of an event that hooks may rewrite: the input of a tool, key by key, or the message of the user.

import type { EventSpec } from './events.js'
import type { AnyFields } from './payload.js'
import type { Response } from './response-fields.js'
import type { Event } from './run.js'

type Input = Readonly<Record<string, unknown>>

const isPrompt = (spec: EventSpec): boolean => spec.answer.updated_prompt !== undefined

/** The part as an object, before hooks rewrite it. */
export const inputOf = ({ spec, fields }: Event): Input =>
  isPrompt(spec) ? { prompt: fields.prompt } : ((fields.tool_input ?? {}) as Input)

/** The keys of it that a response replaces; undefined if it replaces none. */
export const updatesOf = ({ updated_input, updated_prompt }: Response): Input | undefined =>
  updated_prompt === undefined ? updated_input : { prompt: updated_prompt }

/** The fields of the event with another input. */
export const withInput = (spec: EventSpec, fields: AnyFields, input: Input): AnyFields =>
  isPrompt(spec) ? { ...fields, ...input } : { ...fields, tool_input: input }
