// The response table: each field with its type, its merge rule and its text for the reference page, so that a field means
// the same wherever the row of an event lists it.

import * as v from 'valibot'

export type Permission = 'allow' | 'ask' | 'deny'

/**
 * strictest      deny > ask > allow; false > true
 * deciders       texts of the runs whose decision is the verdict, in order
 * all            every text, in order
 * highest        one value: the highest source that gave one; inside a source, the last
 * highest-by-key the same, for each key apart
 * judged         as highest; the other hooks then judge the result in another round
 */
export type MergeRule = 'strictest' | 'deciders' | 'all' | 'highest' | 'highest-by-key' | 'judged'

export interface ResponseField {
  readonly schema: v.GenericSchema
  readonly merge: MergeRule
  /** For error messages: "expected allow, ask or deny". */
  readonly expected: string
  readonly doc: string
}

/** To valibot an array is a record, too. */
const notArray = v.custom<Record<string, unknown>>(value => !Array.isArray(value))

const text = <M extends MergeRule>(doc: string, merge: M) =>
  ({ schema: v.string(), merge, expected: 'a string', doc }) satisfies ResponseField

const object = <M extends MergeRule>(doc: string, merge: M) =>
  ({
    schema: v.pipe(notArray, v.record(v.string(), v.unknown())),
    merge,
    expected: 'an object',
    doc,
  }) satisfies ResponseField

/** Before v.record, which skips keys such as `constructor`, whose values then have any type. */
const texts = v.custom<Record<string, string>>(
  value =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(each => typeof each === 'string'),
)

export const RESPONSE_FIELDS = {
  permission: {
    schema: v.picklist(['allow', 'deny', 'ask']),
    merge: 'strictest',
    expected: 'allow, ask or deny',
    doc: 'Whether the action may go on. `ask` puts the question to the user.',
  },
  continue: {
    schema: v.boolean(),
    merge: 'strictest',
    expected: 'true or false',
    doc: 'false stops the action.',
  },
  user_message: text('Shown to the user.', 'deciders'),
  agent_message: text('Given to the model.', 'deciders'),
  additional_context: text('Added to what the model reads.', 'all'),
  followup_message: text('Submitted as the next user message.', 'highest'),
  updated_input: object('Keys of the tool input to replace.', 'judged'),
  updated_prompt: text('Replaces the message of the user.', 'judged'),
  updated_mcp_tool_output: object('Replaces the output of an MCP tool.', 'highest'),
  env: {
    schema: v.pipe(texts, v.record(v.string(), v.string())),
    merge: 'highest-by-key',
    expected: 'an object whose values are strings',
    doc: 'Variables for later hooks of this session, of the same source and lower ones.',
  },
  pluginPaths: {
    schema: v.array(v.string()),
    merge: 'highest',
    expected: 'an array of strings',
    doc: 'Absolute folders of further plugins to load.',
  },
} as const satisfies Record<string, ResponseField>

/** On events that cannot ask. */
export const PERMISSION_WITHOUT_ASK = {
  schema: v.picklist(['allow', 'deny']),
  merge: 'strictest',
  expected: 'allow or deny',
  doc: 'Whether the action may go on. This event cannot ask.',
} as const satisfies ResponseField

export type ResponseFieldName = keyof typeof RESPONSE_FIELDS

/** A response in canonical names, with the fields that it gives. */
export type Response = {
  -readonly [K in ResponseFieldName]?: v.InferOutput<(typeof RESPONSE_FIELDS)[K]['schema']>
}

/** Other spellings that existing hooks use. They are read, and the run has a note. */
export const RESPONSE_ALIASES: Readonly<Record<string, ResponseFieldName>> = {
  userMessage: 'user_message',
  agentMessage: 'agent_message',
  additionalContext: 'additional_context',
  followupMessage: 'followup_message',
  followUpMessage: 'followup_message',
  updatedInput: 'updated_input',
  updatedPrompt: 'updated_prompt',
  updatedMcpToolOutput: 'updated_mcp_tool_output',
  updatedMCPToolOutput: 'updated_mcp_tool_output',
  plugin_paths: 'pluginPaths',
}

/** Fields of other systems that hooks print and that have no effect here. */
export const OTHER_FIELDS: readonly string[] = [
  'stopReason',
  'suppressOutput',
  'systemMessage',
  'hookEventName',
]

/** Keys that decide, in all spellings, each with the values that deny. */
export const DENIALS: Readonly<Record<string, readonly unknown[]>> = {
  permission: ['deny'],
  decision: ['deny', 'block'],
  permissionDecision: ['deny'],
  continue: [false],
}

/** The key of a response inside a response, as Claude settings have it. */
export const NESTED = 'hookSpecificOutput'

/** Whether the value of a key decides, or contains what decides. */
export const isDecisive = (key: string): boolean => key === NESTED || Object.hasOwn(DENIALS, key)

/** The pattern of a JSON string with this text, each character as it is or as an escape. */
const quoted = (text: string): string => {
  const chars = [...text].map(char => `(?:${char}|\\\\u00${char.charCodeAt(0).toString(16)})`)
  return `"${chars.join('')}"`
}

/** A decision that denies, anywhere in a text: in an object or in a fragment of one. */
export const DENYING_PAIR = new RegExp(
  Object.entries(DENIALS)
    .map(([key, values]) => {
      const denials = values.map(value => (typeof value === 'string' ? quoted(value) : String(value)))
      return `${quoted(key)}\\s*:\\s*(?:${denials.join('|')})`
    })
    .join('|'),
  // For the digits of escapes. A word in capitals is no decision, and is invalid anyway.
  'i',
)

/**
 * A program of the SDK failed, and the other fields are what its error policy decides. Agents ignore the field; here
 * the run is recorded as failed, so that a test or `doctor` does not take the deny of a broken hook for its decision.
 */
export const HOOK_ERROR = 'hook_error'

/** `decision` is the 2.4 spelling for tools and the legacy spelling elsewhere. */
export const DECISION_WORDS: Readonly<Record<string, Permission>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
}
