// One entry of hooks.json → a draft, or the reasons why not. A bad entry never takes its neighbours along.

import * as v from 'valibot'
import { ENTRY_FIELDS } from '../protocol/config.js'
import type { EventSpec } from '../protocol/events.js'
import { type Draft, type Fields, toDraft } from './draft.js'
import {
  describe,
  type Json,
  type JsonObject,
  type Member,
  type Place,
  plain,
  quote,
  within,
} from './json.js'
import { compileMatcher } from './matcher.js'
import { nearest } from './nearest.js'
import type { Report } from './report.js'

type FieldName = keyof typeof ENTRY_FIELDS
const FIELD_NAMES = Object.keys(ENTRY_FIELDS) as FieldName[]

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
  const fields = checkFields(members, FIELD_NAMES, path, report)
  if (!fields || !isWhole(fields, node.place, path, report)) return undefined
  sayWithoutEffect(fields, members, path, spec, report)

  const matcher = compileMatcher(fields.matcher)
  if (matcher.kind === 'invalid') {
    report.error('config/bad-matcher', {
      ...at(members, 'matcher', path),
      message: `The matcher ${quote(matcher.text)} is not a valid regular expression: ${matcher.error}.`,
    })
  }
  return toDraft(spec, fields, matcher, ENTRY_FIELDS.loop_limit.default, {
    place: node.place,
    path,
    commandAt: at(members, 'command', path, node.place),
  })
}

/** The members by key. When a key stands twice, the last counts, as everywhere in JSON, and it is said. */
export function membersOf(node: JsonObject, path: string, report: Report): Map<string, Member> {
  const members = new Map<string, Member>()
  for (const member of node.members) {
    const earlier = members.get(member.key)
    if (earlier) {
      report.warning('config/duplicate-key', {
        place: member.place,
        path: within(path, member.key),
        message: `${quote(member.key)} stands twice, first on line ${earlier.place.line}; the last one counts.`,
      })
    }
    members.set(member.key, member)
  }
  return members
}

/**
 * Checks each known field with its schema and says all that is wrong, not only the first. `names` maps the
 * key in the file to the field, for files that spell it in another way.
 */
export function checkFields(
  members: ReadonlyMap<string, Member>,
  names: readonly FieldName[] | Readonly<Record<string, FieldName>>,
  path: string,
  report: Report,
): Fields | undefined {
  const pairs = Array.isArray(names) ? names.map(name => [name, name] as const) : Object.entries(names)
  const fields: Record<string, unknown> = {}
  let good = true
  for (const [key, name] of pairs) {
    const member = members.get(key)
    if (!member) continue
    const value = plain(member.value)
    const { schema, expected } = ENTRY_FIELDS[name as FieldName]
    if (v.is(schema, value)) {
      fields[name] = value
      continue
    }
    good = false
    report.error('config/bad-field', {
      place: member.value.place,
      path: within(path, key),
      message: `${quote(key)} is ${describe(member.value)}; expected ${expected}.`,
      hint: `Write ${quote(key)} as ${expected}.`,
    })
  }
  if (!good) return undefined
  if ((fields.timeout as number) > 3600) sayMilliseconds(fields.timeout as number, members, path, report)
  return fields as Fields
}

/** A command hook has a command, a prompt hook a prompt. */
export function isWhole(fields: Fields, place: Place, path: string, report: Report): boolean {
  const needed = fields.type === 'prompt' ? 'prompt' : 'command'
  if (fields[needed] !== undefined) return true
  const forgotType = needed === 'command' && fields.prompt !== undefined && fields.type === undefined
  report.error('config/bad-entry', {
    place,
    path,
    message: `The ${needed} hook has no ${quote(needed)}.`,
    hint: forgotType
      ? 'Add "type": "prompt" if a model shall answer, or a "command".'
      : `Add ${quote(needed)}, or remove the entry.`,
  })
  return false
}

function sayMilliseconds(
  seconds: number,
  members: ReadonlyMap<string, Member>,
  path: string,
  report: Report,
) {
  const hours = Math.floor(seconds / 3600)
  report.warning('config/timeout-milliseconds', {
    ...at(members, 'timeout', path),
    message: `${seconds} seconds is over ${hours} ${hours === 1 ? 'hour' : 'hours'}. The unit is seconds; did you mean ${seconds / 1000}?`,
    hint: `Write "timeout": ${seconds / 1000}.`,
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
    report.warning('config/no-effect', { ...at(members, key, path), message, ...(hint ? { hint } : {}) })
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
      ? `"matcher": ${quote(matcher.value)}`
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

export function sayUnknown(
  key: string,
  member: Member,
  path: string,
  known: readonly string[],
  of: string,
  report: Report,
) {
  const meant = nearest(key, known)
  report.warning('config/unknown-key', {
    place: member.place,
    path: within(path, key),
    message: `${quote(key)} is not a key of ${of} and has no effect${meant ? `; did you mean ${quote(meant)}?` : '.'}`,
    ...(meant ? { hint: `Write ${quote(meant)}, or remove it.` } : {}),
  })
}

const at = (members: ReadonlyMap<string, Member>, key: string, path: string, otherwise?: Place) => {
  const member = members.get(key)
  return member
    ? { place: member.value.place, path: within(path, key) }
    : { place: otherwise ?? { line: 1, column: 1 }, path }
}
