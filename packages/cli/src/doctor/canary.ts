// A harmless event: the sample of the table with values that no hook should block. By field, so that a new event needs
// only its sample.

import { join } from 'node:path'
import type { EventSpec } from '@holdfast/hooks/protocol'

/** Also the conversation id, by which a hook recognises a canary. */
export const CANARY = 'holdfast-canary'
export const CANARY_COMMAND = `echo ${CANARY}`
const TEXT = 'holdfast canary'
export const FILE_TEXT = `${TEXT}\n`

type CanaryFields = Record<string, unknown>

/** `file` is in the project and exists while the hook runs. */
interface CanaryContext {
  readonly root: string
  readonly file: string
}

const VALUES: Readonly<Record<string, (around: CanaryContext) => unknown>> = {
  command: () => CANARY_COMMAND,
  cwd: ({ root }) => root,
  file_path: ({ file }) => file,
  content: () => FILE_TEXT,
  prompt: () => TEXT,
  text: () => TEXT,
  task: () => TEXT,
  description: () => TEXT,
  summary: () => TEXT,
  agent_message: () => TEXT,
  output: () => TEXT,
  parent_conversation_id: () => CANARY,
}

/** Inputs by tool: a hook that reads the path of a Write must find one. */
const TOOL_INPUTS: Readonly<Record<string, (around: CanaryContext) => CanaryFields>> = {
  Shell: ({ root }) => ({ command: CANARY_COMMAND, cwd: root }),
  Read: ({ file }) => ({ file_path: file }),
  Write: ({ file }) => ({ file_path: file, content: FILE_TEXT }),
  Delete: ({ file }) => ({ file_path: file }),
  Grep: ({ root }) => ({ pattern: CANARY, path: root }),
  LS: ({ root }) => ({ path: root }),
  Task: () => ({ description: TEXT, prompt: TEXT, subagent_type: 'explore' }),
  WebFetch: () => ({ url: 'https://example.com/' }),
}

export const canaryFile = (root: string, ending = '.txt'): string => join(root, `${CANARY}${ending}`)

/** The fields of a canary. Without a subject it is the canary's own. */
export function canaryPayload(spec: EventSpec, root: string, subject?: string): CanaryFields {
  const field = 'field' in spec.subject ? spec.subject.field : undefined
  const isPath = field === 'file_path'
  const around = { root, file: isPath && subject !== undefined ? subject : canaryFile(root) }
  const fields: CanaryFields = { ...spec.sample }
  for (const [name, value] of Object.entries(VALUES)) if (name in spec.payload) fields[name] = value(around)
  if (field !== undefined && subject !== undefined) fields[field] = subject
  const tool = fields.tool_name
  if (typeof tool === 'string' && isObject(fields.tool_input)) {
    fields.tool_input = Object.hasOwn(TOOL_INPUTS, tool) ? TOOL_INPUTS[tool]!(around) : {}
  }
  if (spec.conversation)
    Object.assign(fields, { conversation_id: CANARY, session_id: CANARY, generation_id: CANARY })
  return fields
}

/** The path in the payload; undefined when it has none. */
export function fileIn(fields: CanaryFields): string | undefined {
  const input = isObject(fields.tool_input) ? fields.tool_input : {}
  const path = fields.file_path ?? input.file_path
  return typeof path === 'string' ? path : undefined
}

const isObject = (value: unknown): value is CanaryFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
