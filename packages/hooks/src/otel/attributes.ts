// The attributes of spans, one row each. Names, ids, counts and codes only: no payload, command, path of a script or
// message of a hook, since any of them may contain a secret.

import type { AttributeValue } from '@opentelemetry/api'
import type { StartedEvent } from '../index.js'
import type { HookDefinition } from '../protocol/config.js'
import type { Run } from '../protocol/run.js'
import type { Verdict } from '../protocol/verdict.js'

export interface AttributeRow<T> {
  readonly doc: string
  /** Undefined and null: the span does not have the attribute. */
  readonly read: (from: T) => AttributeValue | null | undefined
}

type Rows<T> = Readonly<Record<string, AttributeRow<T>>>

const eventStart: Rows<StartedEvent> = {
  'gen_ai.conversation.id': { doc: 'The conversation.', read: event => event.conversationId },
  'gen_ai.tool.name': { doc: 'The tool, on tool events.', read: event => event.toolName },
  'gen_ai.tool.call.id': { doc: 'The call of the tool.', read: event => event.toolCallId },
  'holdfast.event': { doc: 'The event, such as `beforeShellExecution`.', read: event => event.event },
}

const eventEnd: Rows<Verdict | null> = {
  'holdfast.profile': { doc: 'The profile of the engine.', read: verdict => verdict?.profile },
  'holdfast.decision': {
    doc: '`allow`, `ask`, `deny`, or `none` when no hook decided.',
    read: verdict => verdict && decisionOf(verdict),
  },
  'holdfast.runs': { doc: 'The number of runs.', read: verdict => verdict?.runs.length },
  'holdfast.skipped': {
    doc: 'The number of hooks that did not run.',
    read: verdict => verdict?.skipped.length,
  },
  'holdfast.skipped.reasons': {
    doc: 'Why they did not run, each reason once, such as `matcher` and `untrusted`.',
    read: verdict =>
      verdict && verdict.skipped.length > 0
        ? [...new Set(verdict.skipped.map(({ reason }) => reason))]
        : null,
  },
  'holdfast.rounds': {
    doc: 'The number of rounds: more than 1 when a hook rewrote the input.',
    read: verdict => verdict && verdict.rewrites.length + 1,
  },
  'error.type': {
    doc: '`cancelled` when the host cancelled the event or closed the engine, `use` when the call was wrong.',
    read: verdict => (verdict ? verdict.isCancelled && 'cancelled' : 'use'),
  },
}

const runStart: Rows<HookDefinition> = {
  'holdfast.event': { doc: 'The event, such as `beforeShellExecution`.', read: hook => hook.event },
  'holdfast.hook.type': { doc: '`command`, `prompt`, `http` or `function`.', read: hook => hook.type },
  'holdfast.hook.source': {
    doc: 'The source, such as `enterprise` or `project`.',
    read: hook => hook.source,
  },
  'holdfast.hook.mode': {
    doc: '`enforce`, or `observe` when the hook has no part in the decision.',
    read: hook => hook.mode,
  },
  'holdfast.hook.name': {
    doc: 'The name of a function hook. Other hooks are named by `code.*`.',
    read: hook => (hook.type === 'function' ? hook.name : null),
  },
  'holdfast.hook.managed.id': { doc: "The number of a team's hook.", read: hook => hook.managed?.id },
  'code.file.path': { doc: 'The file that contains the entry of the hook.', read: hook => hook.file },
  'code.line.number': { doc: 'The line of the entry.', read: hook => hook.line },
}

const runEnd: Rows<Run> = {
  'holdfast.outcome': { doc: '`answered`, `silent` or `failed`.', read: run => run.outcome.kind },
  'holdfast.decision': {
    doc: 'The decision of the response: `allow`, `ask`, `deny` or `none`.',
    read: ({ outcome }) => decisionOf(outcome.kind === 'answered' ? outcome.answer : {}),
  },
  'holdfast.round': { doc: 'From 2 on: the run judged a rewritten input.', read: run => run.round },
  'process.exit.code': {
    doc: 'The exit code of a command.',
    read: run => (isCommand(run) ? run.exit.code : null),
  },
  'error.type': {
    doc: 'The code of the failure, such as `run/timeout`.',
    read: ({ outcome }) => ('failure' in outcome ? outcome.failure?.code : null),
  },
}

export const ATTRIBUTES = { eventStart, eventEnd, runStart, runEnd } as const

export function attributesOf<T>(rows: Rows<T>, from: T): Record<string, AttributeValue> {
  const out: Record<string, AttributeValue> = {}
  for (const [name, { read }] of Object.entries(rows)) {
    const value = read(from)
    if (value !== null && value !== undefined) out[name] = value
  }
  return out
}

const isCommand = ({ hook }: Run): boolean => hook.type === 'command'

interface Decided {
  readonly permission?: string | null
  readonly continue?: boolean | null
}

function decisionOf({ permission, continue: goesOn }: Decided): string {
  if (permission) return permission
  return typeof goesOn === 'boolean' ? (goesOn ? 'allow' : 'deny') : 'none'
}
