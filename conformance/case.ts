// The format of one case. It does not depend on an engine.

import * as v from 'valibot'

const text = v.string()
const number = v.number()
const flag = v.boolean()
const object = v.record(text, v.unknown())

/** Bytes to print: a text as it is, an object as one line of JSON, or parts of which some are repeated. */
const part = v.union([text, v.strictObject({ repeat: v.strictTuple([text, number]) })])
const printed = v.union([text, v.array(part), object])

/** How a script ends (default: it prints nothing and exits with 0). */
const exit = v.strictObject({
  code: v.optional(number),
  signal: v.optional(v.picklist(['TERM', 'KILL', 'ABRT', 'HUP'])),
  /** Prints, and then never ends. */
  timeout: v.optional(v.literal(true)),
  /** Prints, and then more than any limit. */
  overflow: v.optional(v.picklist(['stdout', 'stderr'])),
  not_found: v.optional(v.literal(true)),
  not_executable: v.optional(v.literal(true)),
  /** Seconds that it works before it prints. */
  takes: v.optional(number),
  stdout: v.optional(printed),
  /** For bytes that are not UTF-8. */
  stdout_base64: v.optional(text),
  stderr: v.optional(printed),
})

/** The response of the model to a prompt hook. */
const reply = v.union([
  v.strictObject({ answers: v.unknown() }),
  v.strictObject({ fails: text }),
  v.strictObject({ never: v.literal(true) }),
])

export const SOURCE_NAMES = [
  'enterprise',
  'team',
  'project',
  'user',
  'claude-local',
  'claude-project',
  'claude-user',
  'plugin',
] as const

const source = v.picklist(SOURCE_NAMES)

const hook = v.strictObject({
  source,
  /** The workspace root of a project hook, from 0. */
  root: v.optional(number),
  /** Its event, if that is not the event of the case. */
  event: v.optional(text),
  /** The path of the script from the folder of its source, and the command that starts it. */
  script: v.optional(text),
  command: v.optional(text),
  matcher: v.optional(text),
  failClosed: v.optional(flag),
  timeout: v.optional(number),
  loop_limit: v.optional(v.nullable(number)),
  /** For team hooks only. */
  mode: v.optional(v.literal('observe')),
  type: v.optional(v.literal('prompt')),
  prompt: v.optional(text),
  model: v.optional(text),
  /** Further keys of the entry. */
  entry: v.optional(object),
  exit: v.optional(exit),
  /** How it ends the second and third time, for a rewritten input (default: as the first time). */
  again: v.optional(v.array(exit)),
  reply: v.optional(reply),
})

const host = v.strictObject({
  /** The response of the user to a question. cannot: the host cannot ask. */
  answers: v.optional(v.picklist(['yes', 'no', 'cannot'])),
  /** Sources whose allow skips the host's own question. */
  grants: v.optional(v.array(source)),
  /** Whether the workspace is trusted (default: true). */
  trusted: v.optional(flag),
  required: v.optional(v.array(source)),
  /** Whether there is a model for prompt hooks (default: true). */
  model: v.optional(flag),
  /** The number of workspace roots. */
  roots: v.optional(number),
  email: v.optional(v.nullable(text)),
  remote: v.optional(flag),
  variables: v.optional(v.record(text, text)),
})

/** Further content of the file of a source. */
const config = v.strictObject({
  /** The complete file. */
  raw: v.optional(text),
  before: v.optional(text),
  after: v.optional(text),
  version: v.optional(v.unknown()),
  /** More events, or more entries of the same. */
  hooks: v.optional(v.record(text, v.unknown())),
})

/** An exact text, none, or parts that it contains and lacks. */
const textExpectation = v.union([
  text,
  v.null(),
  v.strictObject({ contains: v.optional(v.array(text)), lacks: v.optional(v.array(text)) }),
])
const permission = v.nullable(v.picklist(['allow', 'ask', 'deny']))

const hookExpectation = v.strictObject({
  outcome: v.optional(v.picklist(['answered', 'silent', 'failed'])),
  failure: v.optional(v.nullable(text)),
  /** Each of these is noted. */
  notes: v.optional(v.array(text)),
  permission: v.optional(permission),
  payload: v.optional(object),
  payload_lacks: v.optional(v.array(text)),
  env: v.optional(v.record(text, v.nullable(text))),
  cwd: v.optional(text),
  /** The question to the model. */
  asked: v.optional(textExpectation),
  /** In the question, the payload is between two lines that do not occur in it. */
  fenced: v.optional(v.literal(true)),
})

const guard = v.strictObject({
  goes: v.optional(flag),
  granted: v.optional(flag),
  user: v.optional(textExpectation),
  agent: v.optional(textExpectation),
  code: v.optional(text),
  /** The question to the user, or null. */
  asked: v.optional(textExpectation),
  payload: v.optional(object),
  /** Events that the engine raised because of this one. */
  follows: v.optional(v.array(v.strictObject({ event: text, payload: v.optional(object) }))),
})

const expectation = v.strictObject({
  permission: v.optional(permission),
  continue: v.optional(v.nullable(flag)),
  proceeds: v.optional(v.union([flag, v.literal('asks')])),
  user_message: v.optional(textExpectation),
  agent_message: v.optional(textExpectation),
  updated_input: v.optional(v.nullable(object)),
  updated_prompt: v.optional(v.nullable(v.string())),
  updated_mcp_tool_output: v.optional(v.nullable(object)),
  additional_context: v.optional(textExpectation),
  followup_message: v.optional(textExpectation),
  env: v.optional(v.nullable(v.record(text, text))),
  plugin_paths: v.optional(v.nullable(v.array(text))),
  /** Hooks by their index in the case, in merge order. */
  ran: v.optional(v.array(number)),
  /** Indices of the hooks whose rewrites were judged, in order. */
  rewritten_by: v.optional(v.array(number)),
  skipped: v.optional(v.record(text, text)),
  decided_by: v.optional(v.array(number)),
  hooks: v.optional(v.array(v.nullable(hookExpectation))),
  at_once: v.optional(flag),
  /** Issues that are reported about the files. */
  issues: v.optional(v.array(text)),
  guard: v.optional(guard),
})

const step = v.strictObject({
  event: text,
  payload: v.optional(object),
  /** A hook caused the message. */
  automatic: v.optional(flag),
})

export const caseSchema = v.strictObject({
  note: v.pipe(text, v.regex(/^\S.*\.$/, 'a sentence'), v.maxLength(200)),
  spec: v.pipe(text, v.regex(/^(I(\.\d+)?|law [12]|§\d+(\.\d+)?)$/, 'a section')),
  /** Not stated in Part I; the safer reading applies. */
  inferred: v.optional(v.literal(true)),
  only: v.optional(v.picklist(['recorded', 'scripts'])),
  profile: v.optional(text),
  host: v.optional(host),
  config: v.optional(v.record(text, config)),
  /** Earlier events of the conversation. */
  before: v.optional(v.array(step)),
  /** A change of the file of a source between opening and the event. */
  change: v.optional(
    v.strictObject({ source, how: v.picklist(['save', 'replace', 'create', 'delete', 'rename', 'break']) }),
  ),
  event: text,
  payload: v.optional(object),
  hooks: v.array(hook),
  expect: expectation,
})

export type Case = v.InferOutput<typeof caseSchema>
export type CaseHook = v.InferOutput<typeof hook>
export type CaseExit = v.InferOutput<typeof exit>
export type Expectation = v.InferOutput<typeof expectation>
export type TextExpectation = v.InferOutput<typeof textExpectation>
export type SourceName = v.InferOutput<typeof source>
