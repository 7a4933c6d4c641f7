// The keys of one object in a configuration file: which there are, which are known, and whether they are right.

import * as v from 'valibot'
import { ENTRY_FIELDS } from '../protocol/config.js'
import type { Fields } from './draft.js'
import { describe, type JsonObject, type Member, type Place, plain, quote, within } from './json.js'
import { nearest } from './nearest.js'
import type { Report } from './report.js'

export type FieldName = keyof typeof ENTRY_FIELDS

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

/** The keys of a file and the fields that they stand for; files spell them in several ways. */
export type FieldNames = Readonly<Record<string, FieldName>>

/** Checks each known field with its schema and says all that is wrong, not only the first. */
export function checkFields(
  members: ReadonlyMap<string, Member>,
  names: FieldNames,
  path: string,
  report: Report,
): Fields | undefined {
  const fields: Record<string, unknown> = {}
  let good = true
  for (const [key, member] of members) {
    const name = Object.hasOwn(names, key) ? names[key] : undefined
    if (name === undefined) continue
    const value = plain(member.value)
    const { schema, expected } = ENTRY_FIELDS[name]
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
    ...placeOf(members, 'timeout', path),
    message: `${seconds} seconds is over ${hours} ${hours === 1 ? 'hour' : 'hours'}. The unit is seconds; did you mean ${seconds / 1000}?`,
    hint: `Write "timeout": ${seconds / 1000}.`,
  })
}

/** A common way to write a comment. */
export const isComment = (key: string): boolean => /^(?:_(?!_)|\/\/|#)|^\$?comment$/.test(key)

export function sayUnknown(
  key: string,
  member: Member,
  path: string,
  known: readonly string[],
  of: string,
  report: Report,
) {
  if (isComment(key)) return
  const meant = nearest(key, known)
  report.warning('config/unknown-key', {
    place: member.place,
    path: within(path, key),
    message: `${quote(key)} is not a key of ${of} and has no effect${meant ? `; did you mean ${quote(meant)}?` : '.'}`,
    ...(meant ? { hint: `Write ${quote(meant)}, or remove it.` } : {}),
  })
}

/** Where a key's value stands. */
export const placeOf = (
  members: ReadonlyMap<string, Member>,
  key: string,
  path: string,
  otherwise?: Place,
) => {
  const member = members.get(key)
  return member
    ? { place: member.value.place, path: within(path, key) }
    : { place: otherwise ?? { line: 1, column: 1 }, path }
}
