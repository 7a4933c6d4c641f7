// One hooks.json: read it, check its frame, hand its entries on.

import type { IssueCode } from '../protocol/codes.js'
import { EVENT_NAMES, type EventSpec, findEvent } from '../protocol/events.js'
import { findClaudeEvent } from './claude-names.js'
import type { Draft } from './draft.js'
import { readEntry } from './entry.js'
import { isComment, membersOf, sayUnknown } from './fields.js'
import { describe, type Json, type JsonObject, type Member, quote, within } from './json.js'
import { nearest } from './nearest.js'
import { parseJson } from './parse.js'
import { decode, readFile } from './read.js'
import type { Report } from './report.js'

export interface Loaded {
  readonly state: 'loaded' | 'absent' | 'failed'
  readonly drafts: readonly Draft[]
  readonly dropped: number
}

export const ABSENT: Loaded = Object.freeze({ state: 'absent', drafts: [], dropped: 0 })
export const FAILED: Loaded = Object.freeze({ state: 'failed', drafts: [], dropped: 0 })

const LARGEST = 4 * 1024 * 1024
const ROOT_KEYS = ['version', 'hooks']

export function loadHooksFile(file: string, report: Report): Loaded {
  const document = openDocument(file, report)
  if (document === 'absent') return ABSENT
  if (document === 'failed') return FAILED
  return readHooks(document, '', report)
}

/** The tree of a JSON file. Problems are reported under `code` where one code stands for all. */
export function openDocument(file: string, report: Report, code?: IssueCode): Json | 'absent' | 'failed' {
  const result = readFile(file, LARGEST)
  if (result.kind === 'absent') return 'absent'
  if (result.kind === 'too-large') {
    report.error(code ?? 'config/too-large', { message: 'The file is larger than 4 MiB.' })
    return 'failed'
  }
  if (result.kind !== 'read') {
    const message = `The file cannot be read: ${result.reason}.`
    report.error(code ?? 'config/unreadable', { message })
    return 'failed'
  }
  const decoded = decode(result.bytes)
  if (!decoded.ok) {
    report.error(code ?? 'config/not-utf8', { message: decoded.reason })
    return 'failed'
  }
  if (decoded.bom) report.warning('config/bom')
  const parsed = parseJson(decoded.text)
  if (!parsed.ok) {
    report.error(code ?? 'config/syntax', { place: parsed.place, message: parsed.message })
    return 'failed'
  }
  for (const place of parsed.trailingCommas) report.warning('config/trailing-comma', { place })
  return parsed.root
}

/** The frame of a hooks.json: an object with `hooks`, and perhaps a `version`. */
export function readHooks(root: Json, path: string, report: Report): Loaded {
  if (root.kind !== 'object') {
    const message = `The file holds ${describe(root)}, not an object.`
    report.error('config/not-object', { place: root.place, path, message })
    return FAILED
  }
  const members = membersOf(withoutTwins(root, 'hooks', path, report), path, report)
  for (const [key, member] of members) {
    if (!ROOT_KEYS.includes(key) && key !== '$schema') {
      sayUnknown(key, member, path, ROOT_KEYS, 'hooks.json', report)
    }
  }
  const version = members.get('version')
  if (version && !isVersion(version, within(path, 'version'), report)) return FAILED
  const blocks = root.members.filter(member => member.key === 'hooks')
  return readBlocks(blocks, root, within(path, 'hooks'), report)
}

/** Every "hooks" object of the file: when it stands twice, the hooks of both count. */
function readBlocks(blocks: readonly Member[], root: JsonObject, path: string, report: Report): Loaded {
  const parts: Loaded[] = []
  for (const { value } of blocks) {
    if (value.kind === 'object') parts.push(readEvents(value, path, report))
    else {
      const message = `"hooks" is ${describe(value)}; expected an object with events.`
      report.error('config/no-hooks', { place: value.place, path, message })
    }
  }
  if (blocks.length === 0) report.error('config/no-hooks', { place: root.place })
  if (parts.length === 0) return FAILED
  const unusable = blocks.length - parts.length
  return {
    state: 'loaded',
    drafts: parts.flatMap(part => part.drafts),
    dropped: parts.reduce((sum, part) => sum + part.dropped, unusable),
  }
}

export function readEvents(node: JsonObject, path: string, report: Report): Loaded {
  const drafts: Draft[] = []
  let dropped = 0
  const seen = new Map<string, Member>()
  for (const member of node.members) {
    const here = within(path, member.key)
    const earlier = seen.get(member.key)
    if (earlier) sayBoth(member, earlier, here, report)
    seen.set(member.key, member)
    const spec = findEvent(member.key)
    if (!spec) {
      if (isComment(member.key) && !holdsEntries(member.value)) continue
      dropped += sayUnknownEvent(member, here, report)
      continue
    }
    if (member.value.kind !== 'array') {
      sayBadEvent(member, spec, here, report)
      dropped++
      continue
    }
    member.value.items.forEach((item, index) => {
      const draft = readEntry(item, within(here, index), spec, report)
      if (draft) drafts.push(draft)
      else dropped++
    })
  }
  return { state: 'loaded', drafts, dropped }
}

/** A comment holds text; hooks under a changed name are reported. */
const holdsEntries = (value: Json): boolean =>
  value.kind === 'array' && value.items.some(({ kind }) => kind === 'object')

/** Nothing is dropped because a key stands twice. */
export const sayBoth = (member: Member, earlier: Member, path: string, report: Report) =>
  report.warning('config/duplicate-key', {
    place: member.place,
    path,
    message: `${quote(member.key)} stands twice, first on line ${earlier.place.line}; the hooks of both run.`,
  })

/** Both blocks are used, so the usual words about the last one counting would be wrong. */
function withoutTwins(root: JsonObject, key: string, path: string, report: Report): JsonObject {
  const [first, ...others] = root.members.filter(member => member.key === key)
  if (!first || others.length === 0) return root
  for (const other of others) sayBoth(other, first, within(path, key), report)
  return {
    kind: 'object',
    place: root.place,
    members: root.members.filter(member => !others.includes(member)),
  }
}

/** An unknown event is not an error, as a newer version may know it. Claude's names are: they never will be. */
function sayUnknownEvent(member: Member, path: string, report: Report): number {
  const ours = findClaudeEvent(member.key)
  if (ours) {
    report.error('config/claude-shaped', {
      place: member.place,
      path,
      message: `${quote(member.key)} is an event of Claude settings; here it is called ${quote(ours)}.`,
      hint: `Write ${quote(ours)}: [ { "command": "…" } ].`,
    })
    return member.value.kind === 'array' ? member.value.items.length : 1
  }
  const meant = nearest(member.key, EVENT_NAMES)
  report.warning('config/unknown-event', {
    place: member.place,
    path,
    message: `No event is called ${quote(member.key)}${meant ? `; did you mean ${quote(meant)}?` : ', so its hooks never run.'}`,
    ...(meant ? { hint: `Write ${quote(meant)}.` } : {}),
  })
  return 0
}

const sayBadEvent = (member: Member, spec: EventSpec, path: string, report: Report) =>
  report.error('config/bad-event', {
    place: member.value.place,
    path,
    message: `${quote(spec.name)} is ${describe(member.value)}; expected an array of hooks.`,
    hint: `Write ${quote(spec.name)}: [ { "command": "…" } ].`,
  })

function isVersion({ value }: Member, path: string, report: Report): boolean {
  const number = value.kind === 'value' ? value.value : undefined
  if (number === 1) return true
  if (typeof number === 'number' && Number.isInteger(number) && number > 0) {
    const message = `The version is ${number}; it is read as version 1.`
    report.warning('config/version', { place: value.place, path, message })
    return true
  }
  const message = `The version is ${describe(value)}; expected 1.`
  report.error('config/version', { place: value.place, path, message })
  return false
}
