// One entry of a configuration file → a draft: checked and completed, before the files that it names are examined.
// hooks.json, Claude settings and manifests of teams differ in their keys, and share the fields.

import * as v from 'valibot'
import type { IssueCode } from '../protocol/codes.js'
import {
  ENTRY_FIELDS,
  type EntryField,
  FILE_FIELDS,
  type HookDefinition,
  type HookType,
  type Matcher,
  type Mode,
} from '../protocol/config.js'
import type { EventName } from '../protocol/events.js'
import { decode, readFile } from './file.js'
import {
  describe,
  type Json,
  type JsonObject,
  type Member,
  mismatch,
  type Place,
  parseJson,
  plain,
  quote,
  within,
} from './json.js'
import type { Finding, Report } from './report.js'

type Content = 'command' | 'prompt' | 'model' | 'url' | 'headers'
type Defined = Content | 'async' | 'event' | 'matcher' | 'timeoutMs' | 'failClosed' | 'loopLimit'

export interface Draft extends Pick<HookDefinition, Defined | 'managed'> {
  readonly type: Exclude<HookType, 'function'>
  /** A name for people, if it is neither the command nor the prompt. */
  readonly name?: string
  readonly mode?: Mode
  /** The file of a managed command. */
  readonly script?: string
  readonly place: Place
  readonly path: string
}

/** The content of one source. */
export interface Loaded {
  readonly state: 'loaded' | 'absent' | 'failed'
  readonly drafts: readonly Draft[]
  /** Entries that were left out because of an error. */
  readonly dropped: number
  readonly protectHookFiles?: boolean
  readonly allowedHttpHosts?: readonly string[]
}

export const ABSENT: Loaded = Object.freeze({ state: 'absent', drafts: [], dropped: 0 })
export const FAILED: Loaded = Object.freeze({ state: 'failed', drafts: [], dropped: 0 })

const LARGEST_MIB = 1

/** The object in a JSON file, or what its absence means. Problems are reported as `code`, if given. */
export function openDocument(file: string, report: Report, code?: IssueCode): JsonObject | Loaded {
  const fail = (otherwise: IssueCode, finding: Finding): Loaded => {
    report.error(code ?? otherwise, finding)
    return FAILED
  }
  const result = readFile(file, LARGEST_MIB * 1024 * 1024)
  if (result.kind === 'absent') return ABSENT
  if (result.kind === 'too-large')
    return fail('config/too-large', { message: `The file is larger than ${LARGEST_MIB} MiB.` })
  if (result.kind !== 'read')
    return fail('config/unreadable', { message: `The file cannot be read: ${result.reason}.` })
  const decoded = decode(result.bytes)
  if (!decoded.ok) return fail('config/not-utf8', { message: decoded.reason })
  if (decoded.bom) report.warning('config/bom')
  const parsed = parseJson(decoded.text)
  if (!parsed.ok) return fail('config/syntax', parsed)
  const { root, trailingCommas } = parsed
  for (const place of trailingCommas) report.warning('config/trailing-comma', { place })
  if (root.kind === 'object') return root
  const message = `The file contains ${describe(root)}, not an object.`
  return fail('config/not-object', { place: root.place, message })
}

/** The members of an object by key, and what is needed to report about them. */
export interface Entry {
  readonly place: Place
  readonly path: string
  readonly members: ReadonlyMap<string, Member>
  readonly report: Report
}

/** Undefined if the node is not an object. */
export function openEntry(node: Json, path: string, report: Report): Entry | undefined {
  if (node.kind === 'object')
    return { place: node.place, path, members: membersOf(node, path, report), report }
  const message = `The entry is ${describe(node)}; a hook is an object.`
  report.error('config/bad-entry', { place: node.place, path, message })
  return undefined
}

/** As everywhere in JSON, the last of two equal keys counts. */
export function membersOf(node: JsonObject, path: string, report: Report): Map<string, Member> {
  const members = new Map<string, Member>()
  for (const member of node.members) {
    const earlier = members.get(member.key)
    if (earlier) reportDuplicate(member, earlier, within(path, member.key), 'the last one counts', report)
    members.set(member.key, member)
  }
  return members
}

export function reportDuplicate(
  { key, place }: Member,
  earlier: Member,
  path: string,
  effect: string,
  report: Report,
): void {
  const message = `${quote(key)} appears twice, first on line ${earlier.place.line}; ${effect}.`
  report.warning('config/duplicate-key', { place, path, message })
}

/** The checked fields of one entry. */
export type Fields = {
  -readonly [K in FieldName]?: v.InferOutput<(typeof ENTRY_FIELDS)[K]['schema']>
}
export type FieldName = keyof typeof ENTRY_FIELDS

/** The keys of a file and their fields. */
export type FieldNames = Readonly<Record<string, FieldName>>

/** Checks each known field with its schema, and reports every error, not only the first. */
export function checkFields({ members, path, report }: Entry, names: FieldNames): Fields | undefined {
  const fields: Partial<Record<FieldName, unknown>> = {}
  let isValid = true
  for (const [key, member] of members) {
    const name = Object.hasOwn(names, key) ? names[key] : undefined
    if (name === undefined) continue
    const value = plain(member.value)
    if (!isValidField(name, value)) {
      isValid = false
      reportBadField(member, path, ENTRY_FIELDS[name], report)
      continue
    }
    fields[name] = value
    if (name !== 'timeout' || (value as number) <= 3600) continue
    const seconds = value as number
    const hours = Math.floor(seconds / 3600)
    report.warning('config/timeout-milliseconds', {
      place: member.value.place,
      path: within(path, key),
      message: `${seconds} seconds is over ${hours} ${hours === 1 ? 'hour' : 'hours'}. The unit is seconds; did you mean ${seconds / 1000}?`,
      hint: `Write "timeout": ${seconds / 1000}.`,
    })
  }
  return isValid ? (fields as Fields) : undefined
}

/** The values of the further keys of a hooks.json. */
export type FileFields = { [K in keyof typeof FILE_FIELDS]: v.InferOutput<(typeof FILE_FIELDS)[K]['schema']> }

export const isValidFileField = (name: keyof typeof FILE_FIELDS, value: unknown): boolean =>
  v.is(FILE_FIELDS[name].schema, value)

export const isValidField = (name: FieldName, value: unknown): boolean =>
  v.is(ENTRY_FIELDS[name].schema, value)

export function reportBadField(
  { key, value }: Member,
  path: string,
  field: EntryField,
  report: Report,
): void {
  const { expected } = field
  const hint = `Write ${quote(key)} as ${expected}.`
  report.error('config/bad-field', { ...mismatch(key, value, expected), path: within(path, key), hint })
}

/** The fields of each type. Its hooks must have the first one. */
export const TYPE_FIELDS = {
  command: ['command'],
  prompt: ['prompt', 'model'],
  http: ['url', 'headers'],
} as const satisfies Record<Draft['type'], readonly Content[]>

const TYPES = Object.keys(TYPE_FIELDS) as Draft['type'][]

/** A command hook has a command, a prompt hook a prompt, an http hook an address. */
export function isComplete(fields: Fields, { place, path, report }: Entry): boolean {
  const { type = 'command' } = fields
  const [needed] = TYPE_FIELDS[type]
  if (fields[needed] !== undefined) return true
  const meant = TYPES.find(other => fields.type === undefined && fields[TYPE_FIELDS[other][0]] !== undefined)
  report.error('config/bad-entry', {
    place,
    path,
    message: `The ${type} hook has no ${quote(needed)}.`,
    hint: meant
      ? `Add "type": ${quote(meant)} because of its ${quote(TYPE_FIELDS[meant][0])}, or a "command".`
      : `Add ${quote(needed)}, or remove the entry.`,
  })
  return false
}

/** Timers count in 31 bits; a longer time would end at once. */
const LONGEST_MS = 2 ** 31 - 1

export function timeoutMs(type: HookType, seconds: number | undefined): number {
  const ms = Math.round((seconds ?? (type === 'prompt' ? 30 : ENTRY_FIELDS.timeout.default)) * 1000)
  return Math.min(Math.max(ms, 1), LONGEST_MS)
}

/** The address without its query, which may be long. */
export const urlName = (url: string): string => url.replace(/[?#].*$/s, '')

/** The beginning of a prompt. */
export function promptName(prompt: string): string {
  const words = prompt.slice(0, 1000).trim().replace(/\s+/g, ' ')
  return words.length > 60 ? `${words.slice(0, 59)}…` : words
}

export function toDraft(
  event: EventName,
  fields: Fields,
  matcher: Matcher,
  loopLimit: number | null,
  { place, path }: Entry,
): Draft {
  const { type = 'command' } = fields
  const content = TYPE_FIELDS[type].filter(name => fields[name] !== undefined)
  return {
    event,
    type,
    matcher,
    timeoutMs: timeoutMs(type, fields.timeout),
    loopLimit: fields.loop_limit === undefined ? loopLimit : fields.loop_limit,
    place,
    path,
    ...Object.fromEntries(content.map(name => [name, fields[name]])),
    ...(fields.async !== undefined && { async: fields.async }),
    ...(fields.failClosed !== undefined && { failClosed: fields.failClosed }),
  }
}

/** A matcher that is not valid stays in its draft: on permission events it matches all. */
export function reportMatcher(matcher: Matcher, entry: Entry): Matcher {
  if (matcher.kind === 'invalid') {
    entry.report.error('config/bad-matcher', {
      ...placeOf(entry, 'matcher'),
      message: `The matcher ${quote(matcher.text)} is not a valid regular expression: ${matcher.error}.`,
    })
  }
  return matcher
}

/** Common ways to write a comment. */
export const isComment = (key: string): boolean => /^(?:_(?!_)|\/\/|#)|^\$?comment$/.test(key)

export function reportUnknown(
  { key, place }: Member,
  path: string,
  known: readonly string[],
  of: string,
  report: Report,
): void {
  if (isComment(key)) return
  const meant = report.suggest(key, known)
  report.warning('config/unknown-key', {
    place,
    path: within(path, key),
    message: `${quote(key)} is not a key of ${of} and has no effect${meant ? `; did you mean ${quote(meant)}?` : '.'}`,
    ...(meant ? { hint: `Write ${quote(meant)}, or remove it.` } : {}),
  })
}

/** The place of a key's value; of the entry if the key is absent. */
export function placeOf({ members, path, place }: Entry, key: string): { place: Place; path: string } {
  const value = members.get(key)?.value
  return value ? { place: value.place, path: within(path, key) } : { place, path }
}
