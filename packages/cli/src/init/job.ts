// The first hook for an event, derived from its row in the table: a guard where actions can be stopped, a follow-up
// where the agent can continue, context where it is read, and a log line otherwise.

import { EVENT_SPECS, type EventSpec } from '@holdfast/hooks/protocol'

export interface GuardRule {
  readonly field: string
  /** Means the same to grep -E, Python and JavaScript. */
  readonly pattern: string
  readonly stopped: string
  readonly passes: string
  readonly user: string
  readonly agent: string
}

export type Job =
  | { readonly kind: 'guard'; readonly spec: EventSpec; readonly rule: GuardRule }
  | { readonly kind: 'followup' | 'context' | 'notice'; readonly spec: EventSpec; readonly text: string }
  | { readonly kind: 'audit'; readonly spec: EventSpec; readonly field: string | null }

export function jobFor(spec: EventSpec): Job {
  const isGuard = spec.gate === 'permission' || 'updated_prompt' in spec.answer
  if (isGuard) return { kind: 'guard', spec, rule: ruleFor(spec) }
  if ('additional_context' in spec.answer) return { kind: 'context', spec, text: contextFor(spec) }
  if (spec.gate === 'continue') return { kind: 'guard', spec, rule: ruleFor(spec) }
  if ('followup_message' in spec.answer) {
    return { kind: 'followup', spec, text: 'Run the tests, and fix what fails.' }
  }
  if ('user_message' in spec.answer) return { kind: 'notice', spec, text: noticeFor(spec) }
  return { kind: 'audit', spec, field: tellingField(spec) }
}

/** A guard, a record of edits and a follow-up: the events for a first look. */
export const sampleEvents = (): EventSpec[] =>
  [
    (spec: EventSpec) => spec.gate === 'permission' && subjectOf(spec) === 'command',
    (spec: EventSpec) => spec.category === 'agent' && spec.gate === 'none' && 'edits' in spec.payload,
    (spec: EventSpec) => spec.loop === 'counts' && spec.followupWhen === undefined,
  ].flatMap(fits => EVENT_SPECS.find(fits) ?? [])

/** The current name of a field first, then those of other versions. */
export const namesOf = (field: string, { accepts = {} }: EventSpec): string[] => [
  field,
  ...Object.keys(accepts).filter(old => accepts[old] === field),
]

const subjectOf = ({ subject }: EventSpec) => ('field' in subject ? subject.field : undefined)

interface Fitting extends GuardRule {
  fits(spec: EventSpec): boolean
}

const RULES: readonly Fitting[] = [
  {
    fits: spec => 'file_path' in spec.payload,
    field: 'file_path',
    pattern: '(^|[/\\\\])[.]env([.]local|[.]production)?$',
    stopped: '/project/.env',
    passes: '/project/src/app.ts',
    user: 'Files named .env stay private.',
    agent: 'Do not read .env files. Ask the user for the values you need.',
  },
  {
    fits: spec => subjectOf(spec) === 'command',
    field: 'command',
    pattern: 'git[^;&|]* push[^;&|]* (-f|--force)([^-a-z]|$)',
    stopped: 'git push --force origin main',
    passes: 'git push origin main',
    user: 'Forced pushes are blocked here.',
    agent: 'Push to a branch and open a pull request instead.',
  },
  {
    fits: spec => 'prompt' in spec.payload,
    field: 'prompt',
    pattern: 'BEGIN [A-Z ]*PRIVATE KEY',
    stopped: 'Use this: -----BEGIN PRIVATE KEY-----',
    passes: 'Add a button to the page.',
    user: 'The message contains a private key. Remove it, then send the message again.',
    agent: 'The message was not sent because it contained a private key.',
  },
  {
    fits: spec => 'subagent_type' in spec.payload,
    field: 'subagent_type',
    pattern: '^shell$',
    stopped: 'shell',
    passes: 'explore',
    user: 'Subagents that run commands are blocked here.',
    agent: 'Run the commands yourself, one after the other.',
  },
  {
    fits: spec => 'mcp_server_name' in spec.payload,
    field: 'tool_name',
    pattern: '^(delete|drop|remove)_',
    stopped: 'delete_rows',
    passes: 'query',
    user: 'Tools that delete are blocked here.',
    agent: 'Name what should be deleted, and let the user delete it.',
  },
]

/** Every event with a gate has at least a tool name to test. */
const DELETING: GuardRule = {
  field: 'tool_name',
  pattern: '^Delete$',
  stopped: 'Delete',
  passes: 'Read',
  user: 'Deleting files is blocked here.',
  agent: 'Name the file to delete and the reason, and let the user delete it.',
}

const ruleFor = (spec: EventSpec): GuardRule => RULES.find(({ fits }) => fits(spec)) ?? DELETING

function contextFor(spec: EventSpec): string {
  if ('error_message' in spec.payload) return 'Read the error before you try the same thing again.'
  if ('tool_name' in spec.payload) return 'Keep each change small.'
  return 'Run the tests before you report that you are done.'
}

const noticeFor = (spec: EventSpec) =>
  'context_usage_percent' in spec.payload
    ? 'Older messages are about to be summarised.'
    : 'A hook has a message.'

const TELLING = ['file_path', 'command', 'tool_name', 'reason', 'text', 'status']
const tellingField = ({ payload }: EventSpec) => TELLING.find(field => field in payload) ?? null
