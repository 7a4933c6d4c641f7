// A draft → the definition that the engine holds: with its name, its scripts, its fingerprint and its trust.

import { isAbsolute, relative, sep } from 'node:path'
import { type HookDefinition, SOURCES, type Source } from '../protocol/config.js'
import type { Draft } from './draft.js'
import { fingerprintOf, type LookAt, type ScriptFile } from './fingerprint.js'
import { mentionedFiles } from './mentioned.js'
import type { DiscoverOptions } from './options.js'
import { type NamedScript, namedScripts } from './scripts.js'

/** What all hooks of one discovery share. */
export interface Surroundings {
  readonly options: DiscoverOptions
  readonly lookAt: LookAt
}

export async function defineHook(
  draft: Draft,
  source: Source,
  named: readonly LocatedScript[],
  around: Surroundings,
  nameIt: (path: string) => string,
): Promise<HookDefinition> {
  const { options } = around
  const { rank, dialect, needsTrust } = SOURCES[source.kind]
  const root = source.root ?? options.roots[0] ?? source.cwd
  const proven = needsProof(source, options)
  const scripts = proven
    ? withMentioned(ownScripts(named, source), draft, source, around)
    : ownScripts(named, source)
  const fingerprint = proven ? fingerprintOf(draft, dialect, root, scripts) : ''
  const trusted = !needsTrust || options.trustAll || (await isTrusted(options, root, fingerprint))
  const hook: Writable<HookDefinition> = {
    id: nameIt(draft.path),
    source: source.kind,
    rank,
    mode: draft.mode ?? 'enforce',
    event: draft.event,
    type: draft.type,
    name: nameOf(draft),
    matcher: draft.matcher,
    timeoutMs: draft.timeoutMs,
    loopLimit: draft.loopLimit,
    dialect,
    file: source.file,
    line: draft.place.line,
    column: draft.place.column,
    path: draft.path,
    cwd: source.cwd,
    root,
    scripts: scripts.map(({ path, stamp }) => Object.freeze({ path, stamp })),
    fingerprint,
    trusted,
  }
  if (draft.command !== undefined) hook.command = draft.command
  if (draft.prompt !== undefined) hook.prompt = draft.prompt
  if (draft.model !== undefined) hook.model = draft.model
  if (draft.failClosed !== undefined) hook.failClosed = draft.failClosed
  if (source.plugin !== undefined) hook.plugin = source.plugin
  if (draft.managed !== undefined) hook.managed = draft.managed
  return hook
}

/** Whether the bytes of the scripts matter: they must be trusted, or be what a manifest says. */
export const needsProof = ({ kind }: Source, { trustAll }: DiscoverOptions): boolean =>
  kind === 'team' || (SOURCES[kind].needsTrust && !trustAll)

/** Until it is handed on. */
type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** A store that fails has not said yes. */
async function isTrusted({ trust }: DiscoverOptions, root: string, fingerprint: string): Promise<boolean> {
  try {
    return (await trust.has(root, fingerprint)) === true
  } catch {
    return false
  }
}

/** A script that a command names, and what stands in its place. */
export interface LocatedScript {
  readonly named: NamedScript
  readonly file: ScriptFile
}

export function locateScripts(draft: Draft, source: Source, around: Surroundings): LocatedScript[] {
  if (draft.command === undefined) return []
  const named = namedScripts(draft.command, namingOf(source, around.options))
  const hashed = needsProof(source, around.options)
  return named.map(script => ({ named: script, file: locate(script, path => around.lookAt(path, hashed)) }))
}

/** The files that belong to the hook: its own, not the interpreters and tools of the machine. */
function ownScripts(scripts: readonly LocatedScript[], source: Source): ScriptFile[] {
  const own = new Map<string, ScriptFile>()
  for (const { named, file } of scripts) {
    const counts =
      named.role === 'interpreter'
        ? file.exists && isInside(source.root ?? source.cwd, file.path)
        : named.role !== 'further' || file.exists
    if (counts) own.set(file.path, file)
  }
  return [...own.values()]
}

/** Also what the text only mentions, inside the project; absent files too, so that a late one is noticed. */
function withMentioned(own: ScriptFile[], draft: Draft, source: Source, around: Surroundings): ScriptFile[] {
  if (draft.command === undefined || source.kind === 'team') return own
  const root = source.root ?? source.cwd
  const all = new Map(own.map(file => [file.path, file]))
  for (const { path, late } of mentionedFiles(draft.command, root, source.cwd)) {
    if (all.has(path) || !isInside(root, path)) continue
    const file = around.lookAt(path, true)
    if (file.exists || late) all.set(path, file)
  }
  return [...all.values()]
}

/** With the ending that the interpreter would add, if it takes one to find the file. */
function locate(named: NamedScript, lookAt: (path: string) => ScriptFile): ScriptFile {
  const asWritten = lookAt(named.path)
  if (asWritten.exists) return asWritten
  for (const ending of named.endings) {
    const completed = lookAt(named.path + ending)
    if (completed.exists) return completed
  }
  return asWritten
}

const namingOf = (source: Source, options: DiscoverOptions) => {
  const project = source.plugin === undefined ? (source.root ?? options.roots[0]) : options.roots[0]
  return {
    platform: options.platform,
    home: options.home,
    cwd: source.cwd,
    variables: {
      CURSOR_PROJECT_DIR: project,
      CLAUDE_PROJECT_DIR: project,
      CURSOR_PLUGIN_ROOT: source.plugin,
      CLAUDE_PLUGIN_ROOT: source.plugin,
    },
  }
}

export const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function nameOf(draft: Draft): string {
  if (draft.name !== undefined) return draft.name
  if (draft.command !== undefined) return draft.command
  const words = (draft.prompt ?? '').trim().replace(/\s+/g, ' ')
  return words.length > 60 ? `${words.slice(0, 59)}…` : words
}

/** Short where it is clear what is meant: from the first root, from the home folder, else in full. */
function shortName(file: string, { roots, home }: DiscoverOptions): string {
  if (roots[0] !== undefined && isInside(roots[0], file)) return relative(roots[0], file).split(sep).join('/')
  if (isInside(home, file)) return `~/${relative(home, file).split(sep).join('/')}`
  return file
}

/** Ids of the hooks of one file. An event may stand twice in it, and then so does `hooks.stop[0]`. */
export function openNames(source: Source, options: DiscoverOptions): (path: string) => string {
  const file = `${source.kind}:${shortName(source.file, options)}`
  const taken = new Map<string, number>()
  return path => {
    const count = (taken.get(path) ?? 0) + 1
    taken.set(path, count)
    return count === 1 ? `${file}:${path}` : `${file}:${path}#${count}`
  }
}
