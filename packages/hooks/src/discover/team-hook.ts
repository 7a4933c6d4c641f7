// One hook of a manifest → a draft, or why not. A bad one never takes its neighbours along.

import { join } from 'node:path'
import { ENTRY_FIELDS, type Managed, MODES, type Mode } from '../protocol/config.js'
import { EVENT_NAMES, findEvent } from '../protocol/events.js'
import { shellWord } from '../shell.js'
import { type Draft, toDraft } from './draft.js'
import { checkFields, isWhole, membersOf } from './fields.js'
import { sha256 } from './fingerprint.js'
import { describe, type Json, type Member, quote, within } from './json.js'
import { compileMatcher } from './matcher.js'
import { nearest } from './nearest.js'
import { readFile } from './read.js'
import type { Report } from './report.js'
import { type Place, wholeNumber } from './team-head.js'

/** The manifest's keys for the fields of an entry. */
const FIELDS = {
  type: 'type',
  prompt: 'prompt',
  model: 'model',
  matcher: 'matcher',
  timeout: 'timeout',
  fail_closed: 'failClosed',
  loop_limit: 'loop_limit',
} as const

const SCRIPT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const LARGEST_SCRIPT = 64 * 1024 * 1024

export interface Release extends Place {
  /** The operating system, as manifests call it. */
  readonly system: string
  readonly release: number | undefined
  /** The scripts were hashed when the folder was verified. */
  readonly isVerified: boolean
}

export function readTeamHook(
  node: Json,
  path: string,
  here: Release,
  report: Report,
): Draft | 'dropped' | 'not-for-us' {
  const bad = (key: string, at: Json, expected: string) => {
    const message = `${quote(key)} is ${describe(at)}; expected ${expected}.`
    report.error('config/bad-field', { place: at.place, path: within(path, key), message })
    return 'dropped' as const
  }
  if (node.kind !== 'object') {
    const message = `The entry is ${describe(node)}; a hook is an object.`
    report.error('config/bad-entry', { place: node.place, path, message })
    return 'dropped'
  }
  const members = membersOf(node, path, report)
  const active = members.get('is_active')?.value
  if (active && !(active.kind === 'value' && typeof active.value === 'boolean')) {
    return bad('is_active', active, 'true or false')
  }
  if (active?.kind === 'value' && active.value === false) return 'not-for-us'
  const systems = members.get('operating_systems')?.value
  if (systems && systems.kind !== 'array') return bad('operating_systems', systems, 'an array of names')
  if (systems?.items.length && !systems.items.some(item => textOf(item) === here.system)) return 'not-for-us'

  const step = members.get('hook_step')
  const spec = findEvent(textOf(step?.value) ?? '')
  if (!spec) {
    return sayUnknownStep(step, node, path, report)
  }
  const mode = members.get('mode')?.value
  if (mode && !isMode(textOf(mode))) return bad('mode', mode, MODES.map(quote).join(' or '))
  const fields = checkFields(members, FIELDS, path, report)
  if (!fields) return 'dropped'
  const script = members.get('script_name')
  const own: Writable<Pick<Draft, 'name' | 'mode' | 'managed'>> = {}
  if (fields.type !== 'prompt' && script) {
    const name = textOf(script.value)
    if (name === undefined || !SCRIPT_NAME.test(name) || name === 'manifest.json') {
      return bad('script_name', script.value, 'the plain name of a file in the managed folder')
    }
    const file = join(here.folder, name)
    if (!here.isVerified && !hasBytes(file, members.get('sha256'), path, report)) return 'dropped'
    fields.command = shellWord(file)
    // The same in every release, so that its runs can be found.
    own.name = shellWord(join(here.shown, name))
  }
  if (!isWhole(fields, node.place, path, report)) return 'dropped'
  const matcher = compileMatcher(fields.matcher)
  if (matcher.kind === 'invalid') {
    const at = members.get('matcher')?.value ?? node
    const message = `The matcher ${quote(matcher.text)} is not a valid regular expression: ${matcher.error}.`
    report.error('config/bad-matcher', { place: at.place, path: within(path, 'matcher'), message })
  }
  const managed = numbersOf(members, here, path, report)
  if (managed) own.managed = managed
  if (textOf(mode) === 'observe') own.mode = 'observe'
  const commandAt = script ? { place: script.value.place, path: within(path, 'script_name') } : undefined
  const draft = toDraft(spec, fields, matcher, ENTRY_FIELDS.loop_limit.default, {
    place: node.place,
    path,
    commandAt: commandAt ?? { place: node.place, path },
  })
  return { ...draft, ...own }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const isMode = (word: string | undefined): word is Mode => MODES.some(mode => mode === word)

/** They name a hook and guard nothing: one that is wrong is left aside, and the hook stays. */
function numbersOf(
  members: ReadonlyMap<string, Member>,
  { release }: Release,
  path: string,
  report: Report,
): Managed | undefined {
  const numbers: Writable<Managed> = {}
  for (const key of ['id', 'revision'] as const) {
    const node = members.get(key)?.value
    const number = wholeNumber(node)
    if (number !== undefined) numbers[key] = number
    else if (node) {
      const message = `${quote(key)} is ${describe(node)}; expected a whole number. It is not used.`
      report.warning('config/bad-field', { place: node.place, path: within(path, key), message })
    }
  }
  if (release !== undefined) numbers.release = release
  return Object.keys(numbers).length > 0 ? numbers : undefined
}

/** Without a sum in the manifest any bytes are fine; with one, only those. */
function hasBytes(file: string, sum: Member | undefined, path: string, report: Report): boolean {
  if (!sum) return true
  const expected = textOf(sum.value)?.toLowerCase()
  const result = readFile(file, LARGEST_SCRIPT)
  const actual = result.kind === 'read' ? sha256(result.bytes) : undefined
  if (actual !== undefined && actual === expected) return true
  const what = actual === undefined ? 'cannot be read' : 'differs from its manifest'
  report.error('config/script-changed', {
    place: sum.value.place,
    path: within(path, 'sha256'),
    message: `The managed script ${quote(file)} ${what} and was left out.`,
  })
  return false
}

/** An event that a newer version may know is not an error; no event at all is. */
function sayUnknownStep(
  step: Member | undefined,
  node: Json,
  path: string,
  report: Report,
): 'dropped' | 'not-for-us' {
  const name = textOf(step?.value)
  if (!step || name === undefined) {
    const message = step
      ? `"hook_step" is ${describe(step.value)}; expected the name of an event.`
      : undefined
    report.error('config/bad-entry', {
      place: (step?.value ?? node).place,
      path: step ? within(path, 'hook_step') : path,
      message: message ?? 'The entry has no "hook_step".',
    })
    return 'dropped'
  }
  const meant = nearest(name, EVENT_NAMES)
  report.warning('config/unknown-event', {
    place: step.value.place,
    path: within(path, 'hook_step'),
    message: `No event is called ${quote(name)}${meant ? `; did you mean ${quote(meant)}?` : ', so the hook never runs.'}`,
  })
  return 'not-for-us'
}

const textOf = (node: Json | undefined): string | undefined =>
  node?.kind === 'value' && typeof node.value === 'string' ? node.value : undefined
