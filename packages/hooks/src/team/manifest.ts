// The manifest of a managed folder → drafts. The manifest of a signed release is always valid; one without a signature may
// contain any mistake. A mistake in one hook does not affect the others.

import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import {
  checkFields,
  type Draft,
  type Entry,
  isComplete,
  membersOf,
  openEntry,
  placeOf,
  reportMatcher,
  toDraft,
} from '../config/entry.js'
import { isInside, readFile } from '../config/file.js'
import { type Json, type JsonObject, type Member, mismatch, quote, within } from '../config/json.js'
import { compileMatcher } from '../config/matcher.js'
import type { Report } from '../config/report.js'
import { ENTRY_FIELDS, type Managed, MODES, type Mode, type Team } from '../protocol/config.js'
import { EVENT_NAMES, findEvent } from '../protocol/events.js'
import { shellWord } from '../shell.js'
import { LIMITS, sha256 } from './envelope.js'
import { systemOf } from './place.js'
import { scriptNameProblem } from './release.js'

export interface ManifestOptions {
  /** The managed folder as the configuration names it. */
  readonly shown: string
  /** The same with all links followed. */
  readonly folder: string
  readonly platform: NodeJS.Platform
  /** Verification has hashed the scripts. */
  readonly isVerified: boolean
}

export interface Manifest {
  readonly team: Team
  readonly drafts: readonly Draft[]
  readonly dropped: number
}

/** Undefined if the manifest has no list of hooks. */
export function readManifest(
  root: JsonObject,
  options: ManifestOptions,
  report: Report,
): Manifest | undefined {
  const members = membersOf(root, '', report)
  const list = members.get('hooks')
  if (list?.value.kind !== 'array') {
    report.error('config/manifest', {
      place: (list?.value ?? root).place,
      path: list ? 'hooks' : '',
      message: list ? mismatch('hooks', list.value, 'an array').message : 'The manifest has no "hooks".',
    })
    return undefined
  }
  const team = { isVerified: options.isVerified, ...readHead(members, options, report) }
  const drafts: Draft[] = []
  let dropped = 0
  for (const [index, item] of list.value.items.entries()) {
    const result = readHook(item, within('hooks', index), team.release, options, report)
    if (result === 'dropped') dropped++
    else if (result !== 'skipped') drafts.push(result)
  }
  return { team, drafts, dropped }
}

/** The head does not decide whether a hook runs, so a mistake in it is reported and ignored. */
function readHead(
  members: ReadonlyMap<string, Member>,
  { shown, folder }: ManifestOptions,
  report: Report,
): Omit<Team, 'isVerified'> {
  const read = <T>(key: string, expected: string, parse: (node: Json) => T | undefined): T | undefined => {
    const node = members.get(key)?.value
    const value = node && parse(node)
    if (node && value === undefined) {
      const { place, message } = mismatch(key, node, expected)
      report.error('config/manifest', { place, path: key, message: `${message} It is not used.` })
    }
    return value
  }
  const own = basename(dirname(shown)).replace(/^team_/, '')
  const id = read('team', `${quote(own)}, as the folder says`, node =>
    node.kind === 'value' && String(node.value) === own ? own : undefined,
  )
  const release = read('release', 'a whole number', toNumber)
  const queue = read('queue', 'a relative path to a folder of the same team', node =>
    queueOf(node, shown, folder),
  )
  const records = read('records', '"managed" or "all"', node =>
    (['managed', 'all'] as const).find(word => word === textOf(node)),
  )
  return {
    ...(id === undefined ? {} : { id }),
    ...(release === undefined ? {} : { release }),
    records: records ?? 'managed',
    ...(queue === undefined ? {} : { queue }),
  }
}

/** Records contain what users do, so a manifest cannot have them written outside the folder of its team. */
function queueOf(node: Json, shown: string, folder: string): string | undefined {
  const path = textOf(node) ?? ''
  const team = realOf(dirname(shown))
  const queue = join(folder, path)
  const isValid = path !== '' && !path.includes('\0') && !isAbsolute(path)
  return isValid && isInside(team, queue) && isInside(team, realOf(queue)) ? queue : undefined
}

/** With all links followed, also if the last folders do not exist yet. */
const realOf = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path))
  }
}

/** The keys of a manifest for the fields of an entry. */
const FIELDS = {
  type: 'type',
  prompt: 'prompt',
  model: 'model',
  matcher: 'matcher',
  timeout: 'timeout',
  fail_closed: 'failClosed',
  loop_limit: 'loop_limit',
} as const

/** Skipped: switched off, for another system, or for an event of a newer version. */
function readHook(
  node: Json,
  path: string,
  release: number | undefined,
  options: ManifestOptions,
  report: Report,
): Draft | 'dropped' | 'skipped' {
  const entry = openEntry(node, path, report)
  if (!entry) return 'dropped'
  const at = (key: string) => entry.members.get(key)?.value
  const drop = (key: string, expected: string) => {
    report.error('config/bad-field', { ...mismatch(key, at(key)!, expected), path: within(path, key) })
    return 'dropped' as const
  }
  const active = at('is_active')
  if (active && !(active.kind === 'value' && typeof active.value === 'boolean'))
    return drop('is_active', 'true or false')
  if (active?.kind === 'value' && active.value === false) return 'skipped'
  const systems = at('operating_systems')
  if (systems && systems.kind !== 'array') return drop('operating_systems', 'an array of names')
  const system = systemOf(options.platform)
  if (systems?.items.length && !systems.items.some(item => textOf(item) === system)) return 'skipped'

  const step = textOf(at('hook_step'))
  const spec = findEvent(step ?? '')
  if (!spec) return reportUnknownStep(step, entry)
  const mode = at('mode')
  if (mode && !isMode(textOf(mode))) return drop('mode', MODES.map(quote).join(' or '))
  const fields = checkFields(entry, FIELDS)
  if (!fields) return 'dropped'
  const script = fields.type === 'prompt' ? undefined : at('script_name')
  const name = textOf(script)
  if (script && (name === undefined || scriptNameProblem(name) !== undefined))
    return drop('script_name', 'the plain name of a file in the managed folder')
  const file = name === undefined ? undefined : join(options.folder, name)
  if (file !== undefined) {
    if (!options.isVerified && !hasContent(file, entry)) return 'dropped'
    fields.command = shellWord(file)
  }
  if (!isComplete(fields, entry)) return 'dropped'
  const matcher = reportMatcher(compileMatcher(fields.matcher), entry)
  const managed = readNumbers(entry, release)
  return {
    ...toDraft(spec.name, fields, matcher, ENTRY_FIELDS.loop_limit.default, entry),
    // The name is the same in every release, so that the runs of a hook can be found.
    ...(file === undefined ? {} : { script: file, name: shellWord(join(options.shown, basename(file))) }),
    ...(managed ? { managed } : {}),
    ...(textOf(mode) === 'observe' ? { mode: 'observe' } : {}),
  }
}

const isMode = (word: string | undefined): word is Mode => MODES.some(mode => mode === word)

/** The numbers only identify a hook: a wrong one is reported and ignored. */
function readNumbers(entry: Entry, release: number | undefined): Managed | undefined {
  const numbers: { -readonly [K in keyof Managed]: Managed[K] } = {}
  for (const key of ['id', 'revision'] as const) {
    const node = entry.members.get(key)?.value
    const number = node && toNumber(node)
    if (number !== undefined) numbers[key] = number
    else if (node) {
      const message = `${mismatch(key, node, 'a whole number').message} It is not used.`
      entry.report.warning('config/bad-field', { ...placeOf(entry, key), message })
    }
  }
  if (release !== undefined) numbers.release = release
  return Object.keys(numbers).length > 0 ? numbers : undefined
}

/** Without a hash in the manifest any content is accepted. */
function hasContent(file: string, entry: Entry): boolean {
  const sum = entry.members.get('sha256')
  if (!sum) return true
  const result = readFile(file, LIMITS.scripts)
  const actual = result.kind === 'read' ? sha256(result.bytes) : undefined
  if (actual !== undefined && actual === textOf(sum.value)?.toLowerCase()) return true
  const problem = actual === undefined ? 'cannot be read' : 'differs from its manifest'
  const message = `The managed script ${quote(file)} ${problem} and was left out.`
  entry.report.error('config/script-changed', { ...placeOf(entry, 'sha256'), message })
  return false
}

/** An event that a newer version may know is a warning; an entry without an event is an error. */
function reportUnknownStep(name: string | undefined, entry: Entry): 'dropped' | 'skipped' {
  const step = entry.members.get('hook_step')?.value
  const at = placeOf(entry, 'hook_step')
  if (name === undefined) {
    const message = step
      ? mismatch('hook_step', step, 'the name of an event').message
      : 'The entry has no "hook_step".'
    entry.report.error('config/bad-entry', { ...at, message })
    return 'dropped'
  }
  const meant = entry.report.suggest(name, EVENT_NAMES)
  const message = `No event is called ${quote(name)}${meant ? `; did you mean ${quote(meant)}?` : ', so the hook never runs.'}`
  entry.report.warning('config/unknown-event', { ...at, message })
  return 'skipped'
}

const toNumber = (node: Json): number | undefined => {
  const value = node.kind === 'value' ? node.value : undefined
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

const textOf = (node: Json | undefined): string | undefined =>
  node?.kind === 'value' && typeof node.value === 'string' ? node.value : undefined
