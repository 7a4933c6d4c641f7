// The managed folder: a manifest that the team server signed off, and the scripts beside it.

import { join } from 'node:path'
import { ENTRY_FIELDS, type Source } from '../protocol/config.js'
import { EVENT_NAMES, findEvent } from '../protocol/events.js'
import { type Draft, toDraft } from './draft.js'
import { checkFields, isWhole, membersOf } from './fields.js'
import { ABSENT, FAILED, type Loaded, openDocument } from './file.js'
import { sha256 } from './hash.js'
import type { Surroundings } from './hook.js'
import { describe, type Json, type Member, quote, within } from './json.js'
import { compileMatcher } from './matcher.js'
import { nearest } from './nearest.js'
import { readFile } from './read.js'
import type { Report } from './report.js'
import { shellWord } from './words.js'

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

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: 'Windows', darwin: 'Macintosh' }
const SCRIPT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const LARGEST_SCRIPT = 64 * 1024 * 1024

export function loadTeam(source: Source, report: Report, { options }: Surroundings): Loaded {
  const root = openDocument(source.file, report, 'config/manifest')
  if (root === 'absent') return ABSENT
  if (root === 'failed') return FAILED
  const list = root.kind === 'object' ? membersOf(root, '', report).get('hooks') : undefined
  if (list?.value.kind !== 'array') {
    const message = list
      ? `"hooks" is ${describe(list.value)}; expected an array.`
      : 'The manifest has no "hooks".'
    report.error('config/manifest', {
      place: (list?.value ?? root).place,
      path: list ? 'hooks' : '',
      message,
    })
    return FAILED
  }
  const system = SYSTEMS[options.platform] ?? 'Linux'
  const drafts: Draft[] = []
  let dropped = 0
  list.value.items.forEach((item, index) => {
    const result = readTeamHook(item, within('hooks', index), source, system, report)
    if (result === 'dropped') dropped++
    else if (result !== 'not-for-us') drafts.push(result)
  })
  return { state: 'loaded', drafts, dropped }
}

function readTeamHook(
  node: Json,
  path: string,
  source: Source,
  system: string,
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
  if (systems?.items.length && !systems.items.some(item => textOf(item) === system)) return 'not-for-us'

  const step = members.get('hook_step')
  const spec = findEvent(textOf(step?.value) ?? '')
  if (!spec) {
    return sayUnknownStep(step, node, path, report)
  }
  const fields = checkFields(members, FIELDS, path, report)
  if (!fields) return 'dropped'
  const script = members.get('script_name')
  if (fields.type !== 'prompt' && script) {
    const name = textOf(script.value)
    if (name === undefined || !SCRIPT_NAME.test(name) || name === 'manifest.json') {
      return bad('script_name', script.value, 'the plain name of a file in the managed folder')
    }
    const file = join(source.cwd, name)
    if (!hasBytes(file, members.get('sha256'), path, report)) return 'dropped'
    fields.command = shellWord(file)
  }
  if (!isWhole(fields, node.place, path, report)) return 'dropped'
  const matcher = compileMatcher(fields.matcher)
  if (matcher.kind === 'invalid') {
    const at = members.get('matcher')?.value ?? node
    const message = `The matcher ${quote(matcher.text)} is not a valid regular expression: ${matcher.error}.`
    report.error('config/bad-matcher', { place: at.place, path: within(path, 'matcher'), message })
  }
  const commandAt = script ? { place: script.value.place, path: within(path, 'script_name') } : undefined
  return toDraft(spec, fields, matcher, ENTRY_FIELDS.loop_limit.default, {
    place: node.place,
    path,
    commandAt: commandAt ?? { place: node.place, path },
  })
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
