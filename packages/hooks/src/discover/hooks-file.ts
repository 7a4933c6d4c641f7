// One hooks.json → drafts.

import { type Dialect, readBlocks, readEvents } from '../config/blocks.js'
import {
  checkFields,
  type Draft,
  type Entry,
  FAILED,
  type FieldName,
  type FieldNames,
  type Fields,
  type FileFields,
  isComment,
  isComplete,
  isValidFileField,
  type Loaded,
  membersOf,
  openDocument,
  openEntry,
  placeOf,
  reportBadField,
  reportMatcher,
  reportUnknown,
  TYPE_FIELDS,
  toDraft,
} from '../config/entry.js'
import { describe, type Json, type JsonObject, type Member, plain, quote, within } from '../config/json.js'
import { compileMatcher } from '../config/matcher.js'
import type { Report } from '../config/report.js'
import { ENTRY_FIELDS, FILE_FIELDS } from '../protocol/config.js'
import { EVENT_NAMES, type EventSpec, findEvent } from '../protocol/events.js'
import { CLAUDE_TOOLS, findClaudeEvent } from './claude.js'

const ROOT_KEYS = ['version', 'hooks', ...Object.keys(FILE_FIELDS)]
const FIELD_NAMES = Object.keys(ENTRY_FIELDS) as FieldName[]
const OWN_NAMES = Object.fromEntries(FIELD_NAMES.map(name => [name, name])) as FieldNames

export async function loadHooksFile(file: string, report: Report): Promise<Loaded> {
  const root = openDocument(file, report)
  return 'state' in root ? root : readHooks(root, '', report)
}

/** An object with `hooks`, and perhaps a `version`. */
export async function readHooks(root: JsonObject, path: string, report: Report): Promise<Loaded> {
  const blocks = root.members.filter(member => member.key === 'hooks')
  const others = root.members.filter(member => member.key !== 'hooks')
  const members = membersOf({ ...root, members: others }, path, report)
  for (const [key, member] of members) {
    if (key !== '$schema' && !ROOT_KEYS.includes(key))
      reportUnknown(member, path, ROOT_KEYS, 'hooks.json', report)
  }
  const version = members.get('version')
  if (version && !isVersion(version, within(path, 'version'), report)) return FAILED
  const loaded = await readBlocks(blocks, within(path, 'hooks'), report, dialect(report))
  if (blocks.length === 0) report.error('config/no-hooks', { place: root.place })
  if (blocks.every(({ value }) => value.kind !== 'object')) return FAILED
  const protectHookFiles = readOwn('protect_hook_files', undefined, members, path, report)
  // A list that cannot be read allows nothing.
  const allowedHttpHosts = readOwn('allowed_http_hosts', [], members, path, report)
  return {
    ...loaded,
    ...(protectHookFiles !== undefined && { protectHookFiles }),
    ...(allowedHttpHosts !== undefined && { allowedHttpHosts }),
  }
}

/** An object of events, without a file around it. */
export const readEntries = (node: JsonObject, path: string, report: Report): Promise<Loaded> =>
  readEvents(node, path, report, dialect(report))

const dialect = (report: Report): Dialect<EventSpec> => ({
  find: findEvent,
  reportUnknown(member, path) {
    const isIgnored = isComment(member.key) && !hasEntries(member.value)
    return isIgnored ? 0 : reportUnknownEvent(member, path, report)
  },
  read: (item, path, spec) => [readEntry(item, path, spec, report)],
  hint: event => `Write ${quote(event)}: [ { "command": "…" } ].`,
})

/** A project must not be able to end the protection of its own files, or to send payloads anywhere. */
function readOwn<K extends keyof FileFields>(
  key: K,
  otherwise: FileFields[K] | undefined,
  members: ReadonlyMap<string, Member>,
  path: string,
  report: Report,
): FileFields[K] | undefined {
  const member = members.get(key)
  if (!member) return undefined
  if (report.source !== 'user' && report.source !== 'enterprise') {
    report.warning('config/no-effect', {
      place: member.value.place,
      path: within(path, key),
      message: `${quote(key)} has no effect here.`,
      hint: 'Write it into ~/.cursor/hooks.json, or into the file of the enterprise.',
    })
    return undefined
  }
  const value = plain(member.value)
  if (isValidFileField(key, value)) return value as FileFields[K]
  reportBadField(member, path, FILE_FIELDS[key], report)
  return otherwise
}

/** Hooks under a changed name are not a comment. */
const hasEntries = (value: Json): boolean =>
  value.kind === 'array' && value.items.some(({ kind }) => kind === 'object')

/** An unknown event is a warning, because a newer version may know it. An event of Claude settings is an error. */
function reportUnknownEvent({ key, place, value }: Member, path: string, report: Report): number {
  const ours = findClaudeEvent(key)
  if (ours) {
    report.error('config/claude-shaped', {
      place,
      path,
      message: `${quote(key)} is an event of Claude settings; here it is called ${quote(ours)}.`,
      hint: `Write ${quote(ours)}: [ { "command": "…" } ].`,
    })
    return value.kind === 'array' ? value.items.length : 1
  }
  const meant = report.suggest(key, EVENT_NAMES)
  report.warning('config/unknown-event', {
    place,
    path,
    message: `No event is called ${quote(key)}${meant ? `; did you mean ${quote(meant)}?` : ', so its hooks never run.'}`,
    ...(meant ? { hint: `Write ${quote(meant)}.` } : {}),
  })
  return 0
}

function isVersion({ value }: Member, path: string, report: Report): boolean {
  const number = value.kind === 'value' ? value.value : undefined
  if (number === 1) return true
  const isLater = typeof number === 'number' && Number.isInteger(number) && number > 0
  const message = isLater
    ? `The version is ${number}; it is read as version 1.`
    : `The version is ${describe(value)}; expected 1.`
  report[isLater ? 'warning' : 'error']('config/version', { place: value.place, path, message })
  return isLater
}

function readEntry(node: Json, path: string, spec: EventSpec, report: Report): Draft | undefined {
  const entry = openEntry(node, path, report)
  if (!entry) return undefined
  const { members } = entry
  const nested = members.get('hooks')
  if (nested?.value.kind === 'array' && !members.has('command')) {
    reportNested(nested, entry, spec)
    return undefined
  }
  for (const [key, member] of members) {
    if (!Object.hasOwn(ENTRY_FIELDS, key)) reportUnknown(member, path, FIELD_NAMES, 'a hook', report)
  }
  const fields = checkFields(entry, OWN_NAMES)
  if (!fields || !isComplete(fields, entry)) return undefined
  reportUseless(fields, entry, spec)
  const matcher = reportMatcher(compileMatcher(fields.matcher), entry)
  return toDraft(spec.name, fields, matcher, ENTRY_FIELDS.loop_limit.default, entry)
}

/** Reports fields that have no effect on this event or kind of hook. */
function reportUseless(fields: Fields, entry: Entry, spec: EventSpec): void {
  const add = (key: FieldName, where: string, hint?: string) => {
    const message = `${quote(key)} has no effect on ${where}.`
    entry.report.warning('config/no-effect', { ...placeOf(entry, key), message, ...(hint ? { hint } : {}) })
  }
  const only = 'Remove it; only stop and subagentStop count follow-ups.'
  if (fields.loop_limit !== undefined && spec.loop !== 'counts') add('loop_limit', spec.name, only)
  if (fields.failClosed !== undefined && spec.gate === 'none') {
    add('failClosed', spec.name, `Remove it; ${spec.name} cannot stop anything.`)
  }
  if (fields.async && spec.gate !== 'none')
    add('async', spec.name, `Remove it; ${spec.name} waits for hooks that can stop it.`)
  if (fields.matcher !== undefined && 'none' in spec.subject) add('matcher', spec.name)
  const { type: own = 'command' } = fields
  const others = Object.values(TYPE_FIELDS)
    .flat()
    .filter(key => !(TYPE_FIELDS[own] as readonly FieldName[]).includes(key))
  for (const key of others)
    if (fields[key] !== undefined)
      add(key, `${own === 'http' ? 'an' : 'a'} ${own} hook`, 'Remove it, or change "type".')
}

function reportNested(nested: Member, { members, path, report }: Entry, spec: EventSpec): void {
  const inner = nested.value.kind === 'array' ? nested.value.items[0] : undefined
  const command = inner?.kind === 'object' && inner.members.find(member => member.key === 'command')
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
    message:
      'The entry contains a list of hooks, as in Claude settings; here every hook is an entry of its own.',
    hint: `Write ${quote(spec.name)}: [ { ${flat.filter(Boolean).join(', ')} } ].`,
  })
}

/** With the names of Claude settings the matcher would load and never match. */
const inOurNames = (matcher: string) =>
  matcher.replace(/\w+/g, name => (Object.hasOwn(CLAUDE_TOOLS, name) ? CLAUDE_TOOLS[name]! : name))
