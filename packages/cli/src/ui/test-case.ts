// A run as a case for `holdfast test`: the same event for the same hook, with its result as the expectation.

import { Code } from '@connectrpc/connect'
import type { RunRecord } from '@holdfast/hooks'
import { eventsUnder, findEvent, findProfile, type HookDefinition, SOURCES } from '@holdfast/hooks/protocol'
import { saidOf } from '../history.js'
import { policyOf } from '../print/policy.js'
import { shortCommand } from '../print/words.js'
import { TODAY } from '../profiles/names.js'
import { scalar } from '../test/scalar.js'
import { runsOf } from './hooks/history.js'
import { hooksOf, type Panel } from './panel.js'
import { refusal } from './refusals.js'
import { eventOf } from './runs/run.js'

export function getTestCase({ book, engine, workspace }: Panel, id: string) {
  const record = eventOf(book, id).find(one => one.id === id)!
  const spec = findEvent(record.event)
  if (!spec || SOURCES[record.source]?.dialect !== 'native' || record.source === 'team') {
    throw refusal(
      Code.FailedPrecondition,
      `Hooks of ${record.source} cannot be tested with holdfast test, which tests only hooks of a hooks.json.`,
    )
  }
  const all = hooksOf(engine.catalog())
  const row = book.byId(id)!
  const hook = all.find(each => runsOf(each, all)(row))
  const lost = new Set(record.redacted.flatMap(note => /^request\.([^.:[]+)/.exec(note)?.[1] ?? []))
  const name = caseName(record)
  const lines = [
    `about: ${scalar(aboutOf(record, all))}`,
    'cases:',
    `  - name: ${scalar(name)}`,
    ...(record.profile === TODAY ? [] : [`    profile: ${scalar(record.profile)}`]),
    `    event: ${record.event}`,
    ...(hook?.type === 'prompt' ? mapping('model says', modelOf(record)) : []),
    ...mapping('payload', payloadOf(record, Object.keys(spec.payload), lost, workspace.roots)),
    ...mapping('expect', expectationOf(record, hook)),
  ]
  const head = [
    `# From a run at ${record.time}. Run with: holdfast test`,
    ...[...lost].map(field => `# The log does not contain ${field}; the value of the sample replaces it.`),
  ]
  return { text: `${[...head, ...lines].join('\n')}\n`, fileName: `${fileWord(record.hook)}.hooks-test.yaml` }
}

/** JSON is a part of YAML, so nested values are on one line. */
function mapping(key: string, values: Readonly<Record<string, unknown>>): string[] {
  const members = Object.entries(values)
  if (members.length === 0) return [`    ${key}: {}`]
  const said = (value: unknown) => (typeof value === 'string' ? scalar(value) : JSON.stringify(value))
  return [`    ${key}:`, ...members.map(([name, value]) => `      ${name}: ${said(value)}`)]
}

const caseName = (record: RunRecord): string => {
  const did = record.outcome === 'failed' ? 'fails' : (DOES[saidOf(record) ?? ''] ?? 'abstains')
  return `${record.event}: ${shortCommand(record.hook)} ${did}`
}

const DOES: Readonly<Record<string, string>> = { allow: 'allows', ask: 'asks', deny: 'denies' }

/** Its short name, unless other hooks share it. */
function aboutOf({ hook }: RunRecord, all: readonly HookDefinition[]): string {
  const short = shortCommand(hook)
  const others = all.filter(({ name }) => name !== hook && name.includes(short))
  return others.length === 0 && hook.includes(short) ? short : hook
}

/** The fields of the event itself. In a test, the folder of the workspace is another one. */
function payloadOf(
  { request }: RunRecord,
  fields: readonly string[],
  lost: ReadonlySet<string>,
  roots: readonly string[],
): Record<string, unknown> {
  const known = [...roots, ...(Array.isArray(request.workspace_roots) ? request.workspace_roots : [])]
  const given = fields.filter(
    field =>
      request[field] !== undefined &&
      !lost.has(field) &&
      !(field === 'cwd' && (request.cwd === '' || known.includes(request.cwd))),
  )
  return Object.fromEntries(given.map(field => [field, request[field]]))
}

const modelOf = (record: RunRecord) => {
  const reason = record.response?.user_message
  return { ok: saidOf(record) !== 'deny', ...(typeof reason === 'string' ? { reason } : {}) }
}

/** The names of the response fields in test files. */
const WORDS = {
  user_message: 'user message',
  agent_message: 'agent message',
  additional_context: 'context',
  followup_message: 'followup',
  updated_input: 'rewrite',
  updated_prompt: 'prompt',
  updated_mcp_tool_output: 'output',
} as const

function expectationOf(record: RunRecord, hook: HookDefinition | undefined): Record<string, unknown> {
  const failed = failureOf(record, hook)
  const profile = findProfile(record.profile) ?? findProfile(TODAY)!
  const spec = eventsUnder(profile).get(record.event) ?? findEvent(record.event)!
  const said = spec.gate === 'none' ? undefined : saidOf(record)
  const verdict = failed === 'closed' ? 'deny' : (said ?? 'none')
  const lost = new Set(record.redacted.flatMap(note => /^response\.([^.:[]+)/.exec(note)?.[1] ?? []))
  const given = Object.entries(WORDS).flatMap(([field, word]) => {
    const value = record.response?.[field]
    if (value === undefined || value === '' || lost.has(field) || !(field in spec.answer)) return []
    // Only the deciding hook sends messages, and a denied action is not rewritten.
    if (word.endsWith('message') && spec.gate !== 'none' && said === undefined) return []
    if (said === 'deny' && !word.endsWith('message')) return []
    // Values that resemble a pattern would be read as one.
    const isPattern = typeof value === 'string' && /^\/.+\/[imsu]*$/s.test(value)
    return [[word, isPattern ? { equals: value } : value] as const]
  })
  return {
    verdict,
    ...(failed === 'none' ? {} : { failed }),
    ...Object.fromEntries(given),
  }
}

/** Fired alone, a hook that failed fails as its own entry specifies. */
function failureOf(record: RunRecord, hook: HookDefinition | undefined): 'none' | 'open' | 'closed' {
  if (record.failure === null || record.failure === undefined) return 'none'
  if (record.outcome !== 'failed') return saidOf(record) === 'deny' ? 'closed' : 'open'
  const profile = findProfile(record.profile) ?? findProfile(TODAY)!
  const spec = eventsUnder(profile).get(record.event) ?? findEvent(record.event)!
  if (spec.gate === 'none' || record.failed_open) return 'open'
  if (!hook)
    return record.verdict.permission === 'deny' || record.verdict.continue === false ? 'closed' : 'open'
  return policyOf(hook, spec, profile).effect === 'closed' ? 'closed' : 'open'
}

const fileWord = (hook: string): string =>
  shortCommand(hook)
    .replace(/\.\w{1,4}$/, '')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'hook'
