// The format of one case. It knows no engine: whoever reads hooks.json and gives a verdict can be held against it.

import * as v from 'valibot'

const text = v.string()
const number = v.number()
const flag = v.boolean()
const facts = v.record(text, v.unknown())

/** Bytes to print: a text as it is, an object as one line of JSON, or parts of which some are repeated. */
const part = v.union([text, v.strictObject({ repeat: v.strictTuple([text, number]) })])
const printed = v.union([text, v.array(part), facts])

/** How a script ends. Nothing given: it prints nothing and exits with 0. */
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
  /** For what is not UTF-8. */
  stdout_base64: v.optional(text),
  stderr: v.optional(printed),
})

/** What the model says to a prompt hook. */
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
  /** Which workspace root a project hook is in, from 0. */
  root: v.optional(number),
  /** The event it is configured for, when that is not the case's own. */
  event: v.optional(text),
  /** Where the script lies, from the folder of its source; and the command that names it. */
  script: v.optional(text),
  command: v.optional(text),
  matcher: v.optional(text),
  failClosed: v.optional(flag),
  timeout: v.optional(number),
  loop_limit: v.optional(v.nullable(number)),
  /** Only hooks of a team can. */
  mode: v.optional(v.literal('observe')),
  type: v.optional(v.literal('prompt')),
  prompt: v.optional(text),
  model: v.optional(text),
  /** Keys to write into the entry as they are. */
  entry: v.optional(facts),
  exit: v.optional(exit),
  /** How it ends the second and third time, when it judges a rewritten input; otherwise as the first time. */
  again: v.optional(v.array(exit)),
  reply: v.optional(reply),
})

const host = v.strictObject({
  /** What the person says when a hook asks. cannot: nobody is there. */
  answers: v.optional(v.picklist(['yes', 'no', 'cannot'])),
  /** Sources whose allow spares the person the host's own question. */
  grants: v.optional(v.array(source)),
  /** Whether the workspace is trusted; it is, unless the case says no. */
  trusted: v.optional(flag),
  required: v.optional(v.array(source)),
  /** Whether there is a model for prompt hooks; there is, unless the case says no. */
  model: v.optional(flag),
  /** How many folders are open. */
  roots: v.optional(number),
  email: v.optional(v.nullable(text)),
  remote: v.optional(flag),
  variables: v.optional(v.record(text, text)),
})

/** What else stands in the file of a source. */
const config = v.strictObject({
  /** The whole file, hooks or not. */
  raw: v.optional(text),
  before: v.optional(text),
  after: v.optional(text),
  version: v.optional(v.unknown()),
  /** More events, or more entries of the same. */
  hooks: v.optional(v.record(text, v.unknown())),
})

/** A text: exactly this, none at all, or one that holds some words and lacks others. */
const words = v.union([
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
  payload: v.optional(facts),
  payload_lacks: v.optional(v.array(text)),
  env: v.optional(v.record(text, v.nullable(text))),
  cwd: v.optional(text),
  /** The question that the model was asked. */
  asked: v.optional(words),
  /** The payload stands in the question between two lines that do not occur inside it. */
  fenced: v.optional(v.literal(true)),
})

const guard = v.strictObject({
  goes: v.optional(flag),
  granted: v.optional(flag),
  user: v.optional(words),
  agent: v.optional(words),
  code: v.optional(text),
  /** What the person was asked; null when nobody was. */
  asked: v.optional(words),
  facts: v.optional(facts),
  /** Events that the engine raised because of this one. */
  follows: v.optional(v.array(v.strictObject({ event: text, payload: v.optional(facts) }))),
})

const expectation = v.strictObject({
  permission: v.optional(permission),
  continue: v.optional(v.nullable(flag)),
  proceeds: v.optional(v.union([flag, v.literal('asks')])),
  user_message: v.optional(words),
  agent_message: v.optional(words),
  updated_input: v.optional(v.nullable(facts)),
  updated_mcp_tool_output: v.optional(v.nullable(facts)),
  additional_context: v.optional(words),
  followup_message: v.optional(words),
  env: v.optional(v.nullable(v.record(text, text))),
  plugin_paths: v.optional(v.nullable(v.array(text))),
  /** Hooks by their place in the case, in the order in which they are merged. */
  ran: v.optional(v.array(number)),
  /** Places of the hooks whose rewrites were judged, in order. */
  rewritten_by: v.optional(v.array(number)),
  skipped: v.optional(v.record(text, text)),
  decided_by: v.optional(v.array(number)),
  hooks: v.optional(v.array(v.nullable(hookExpectation))),
  at_once: v.optional(flag),
  /** Problems that were found in the files, each at least once. */
  issues: v.optional(v.array(text)),
  guard: v.optional(guard),
})

const step = v.strictObject({
  event: text,
  facts: v.optional(facts),
  /** The message was caused by a hook. */
  automatic: v.optional(flag),
})

export const caseSchema = v.strictObject({
  note: v.pipe(text, v.regex(/^\S.*\.$/, 'a sentence'), v.maxLength(200)),
  spec: v.pipe(text, v.regex(/^(I(\.\d+)?|law [12]|§\d+(\.\d+)?)$/, 'a section')),
  /** Part I does not say it; the safer reading was taken. */
  inferred: v.optional(v.literal(true)),
  only: v.optional(v.picklist(['recorded', 'scripts'])),
  profile: v.optional(text),
  host: v.optional(host),
  config: v.optional(v.record(text, config)),
  /** What happened in the conversation before. */
  before: v.optional(v.array(step)),
  /** What is done to the file of a source between opening and the event. */
  change: v.optional(
    v.strictObject({ source, how: v.picklist(['save', 'replace', 'create', 'delete', 'rename', 'break']) }),
  ),
  event: text,
  facts: v.optional(facts),
  hooks: v.array(hook),
  expect: expectation,
})

export type Case = v.InferOutput<typeof caseSchema>
export type CaseHook = v.InferOutput<typeof hook>
export type CaseExit = v.InferOutput<typeof exit>
export type Expectation = v.InferOutput<typeof expectation>
export type Words = v.InferOutput<typeof words>
export type SourceName = v.InferOutput<typeof source>
