// One entry of hooks.json → a draft, or the reasons why not. A bad entry never takes its neighbours along.

import { ENTRY_FIELDS } from '../protocol/config.js'
import type { EventSpec } from '../protocol/events.js'
import { CLAUDE_TOOLS } from './claude-names.js'
import { type Draft, type Fields, toDraft } from './draft.js'
import {
  checkFields,
  type FieldName,
  type FieldNames,
  isWhole,
  membersOf,
  placeOf,
  sayUnknown,
} from './fields.js'
import { describe, type Json, type Member, quote, within } from './json.js'
import { compileMatcher } from './matcher.js'
import type { Report } from './report.js'

const FIELD_NAMES = Object.keys(ENTRY_FIELDS) as FieldName[]
const OWN_NAMES = Object.fromEntries(FIELD_NAMES.map(name => [name, name])) as FieldNames

export function readEntry(node: Json, path: string, spec: EventSpec, report: Report): Draft | undefined {
  if (node.kind !== 'object') {
    report.error('config/bad-entry', {
      place: node.place,
      path,
      message: `The entry is ${describe(node)}; a hook is an object.`,
    })
    return undefined
  }
  const members = membersOf(node, path, report)
  const nested = members.get('hooks')
  if (nested?.value.kind === 'array' && !members.has('command')) {
    sayNested(nested, members, path, spec, report)
    return undefined
  }
  for (const [key, member] of members) {
    if (!Object.hasOwn(ENTRY_FIELDS, key)) sayUnknown(key, member, path, FIELD_NAMES, 'a hook', report)
  }
  const fields = checkFields(members, OWN_NAMES, path, report)
  if (!fields || !isWhole(fields, node.place, path, report)) return undefined
  sayWithoutEffect(fields, members, path, spec, report)

  const matcher = compileMatcher(fields.matcher)
  if (matcher.kind === 'invalid') {
    report.error('config/bad-matcher', {
      ...placeOf(members, 'matcher', path),
      message: `The matcher ${quote(matcher.text)} is not a valid regular expression: ${matcher.error}.`,
    })
  }
  return toDraft(spec, fields, matcher, ENTRY_FIELDS.loop_limit.default, {
    place: node.place,
    path,
    commandAt: placeOf(members, 'command', path, node.place),
  })
}

function sayWithoutEffect(
  fields: Fields,
  members: ReadonlyMap<string, Member>,
  path: string,
  spec: EventSpec,
  report: Report,
) {
  const say = (key: FieldName, where: string, hint?: string) => {
    const message = `${quote(key)} has no effect on ${where}.`
    report.warning('config/no-effect', { ...placeOf(members, key, path), message, ...(hint ? { hint } : {}) })
  }
  const only = 'Remove it; only stop and subagentStop count follow-ups.'
  if (fields.loop_limit !== undefined && spec.loop !== 'counts') say('loop_limit', spec.name, only)
  if (fields.failClosed !== undefined && spec.gate === 'none') {
    say('failClosed', spec.name, `Remove it; ${spec.name} cannot stop anything.`)
  }
  if (fields.matcher !== undefined && 'none' in spec.subject) say('matcher', spec.name)
  const other = fields.type === 'prompt' ? (['command'] as const) : (['prompt', 'model'] as const)
  const kind = fields.type === 'prompt' ? 'a prompt hook' : 'a command hook'
  for (const key of other) if (fields[key] !== undefined) say(key, kind, 'Remove it, or change "type".')
}

function sayNested(
  nested: Member,
  members: ReadonlyMap<string, Member>,
  path: string,
  spec: EventSpec,
  report: Report,
) {
  const inner = nested.value.kind === 'array' ? nested.value.items[0] : undefined
  const command =
    inner?.kind === 'object' ? inner.members.find(member => member.key === 'command') : undefined
  const matcher = members.get('matcher')?.value
  const flat = [
    matcher?.kind === 'value' && typeof matcher.value === 'string'
      ? `"matcher": ${quote(inOurNames(matcher.value))}`
      : '',
    `"command": ${command ? describe(command.value) : '"…"'}`,
  ]
  report.error('config/claude-shaped', {
    place: nested.place,
    path: within(path, 'hooks'),
    message: 'The entry holds a list of hooks, as in Claude settings; here each hook stands by itself.',
    hint: `Write ${quote(spec.name)}: [ { ${flat.filter(Boolean).join(', ')} } ].`,
  })
}

/** Copied as it was, the matcher would load without complaint and never match. */
const inOurNames = (matcher: string) =>
  matcher.replace(/\w+/g, name => (Object.hasOwn(CLAUDE_TOOLS, name) ? CLAUDE_TOOLS[name]! : name))
