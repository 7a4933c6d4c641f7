// The types of payload fields in the table.

import * as v from 'valibot'

/**
 * A schema with its words for the reference beside it. Not as valibot's description in a pipe: the table has hundreds
 * of fields, and pipes cost a millisecond at each start and time at each event.
 */
const described = <S extends v.GenericSchema>(schema: S, doc: string): S => Object.assign(schema, { doc })

export const text = (doc: string) => described(v.string(), doc)
export const number = (doc: string) => described(v.number(), doc)
export const flag = (doc: string) => described(v.boolean(), doc)
/** To valibot an array is a record, too. */
const notArray = v.custom<Record<string, unknown>>(value => !Array.isArray(value), 'an object')
export const object = (doc: string) => v.pipe(notArray, described(v.record(v.string(), v.unknown()), doc))
export const strings = (doc: string) => described(v.array(v.string()), doc)
export const nullable = <S extends v.GenericSchema>(schema: S) => v.nullable(schema)
export const oneOf = <const T extends readonly string[]>(values: T, doc: string) =>
  described(v.picklist(values), doc)

/** The host may omit the field; hooks then receive this value. */
export const or = <S extends v.GenericSchema, const D extends v.InferInput<S>>(schema: S, value: D) =>
  v.optional(schema, value)

/** The field is absent if the host omits it. */
export const maybe = <S extends v.GenericSchema>(schema: S) => v.optional(schema)

const attachment = v.looseObject({
  type: oneOf(['file', 'rule'], 'What kind of thing is attached.'),
  file_path: text('Absolute path of the attachment.'),
})

export const attachments = or(described(v.array(attachment), 'Files and rules that are attached.'), [])

const edit = { old_string: text('The text that was replaced.'), new_string: text('The text in its place.') }

export const edits = or(described(v.array(v.looseObject(edit)), 'The replacements, in order.'), [])

export const tabEdits = or(
  described(
    v.array(
      v.looseObject({
        ...edit,
        range: v.looseObject({
          start_line_number: number('First line, from 1.'),
          start_column: number('First column, from 1.'),
          end_line_number: number('Last line, from 1.'),
          end_column: number('Last column, from 1.'),
        }),
        old_line: text('The line before the edit.'),
        new_line: text('The line after the edit.'),
      }),
    ),
    'The replacements with their place, in order.',
  ),
  [],
)

const modelParam = v.looseObject({ id: v.string(), value: v.unknown() })

/** The fields of every event of a conversation. */
export const conversation = {
  conversation_id: text('Stable over the turns of one conversation. A subagent has its own.'),
  generation_id: text('Changes with each message of the user; empty on session events.'),
  model: text('The model of the conversation; "default" when none is pinned.'),
  transcript_path: described(
    v.nullable(v.string()),
    'File with the conversation so far; null when there is none.',
  ),
  session_id: text('The same as conversation_id.'),
  model_id: maybe(text('Structured name of the model.')),
  model_params: maybe(described(v.array(modelParam), 'Settings of the model.')),
}

/** The fields of every event. */
export const always = {
  hook_event_name: text('The event.'),
  workspace_roots: described(v.array(v.string()), 'The folders that are open.'),
  cursor_version: text('Version of the host.'),
  user_email: described(v.nullable(v.string()), 'E-mail address of the signed-in user; null without one.'),
}
