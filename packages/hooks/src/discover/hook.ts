// A draft → the definition that the engine uses: with its name, the files that it runs, its fingerprint and its trust.

import { isAbsolute, relative, resolve, sep } from 'node:path'
import { type HookDefinition, type Script, SOURCES, type Source } from '../protocol/config.js'
import { type Coverage, coverageOf } from './coverage.js'
import type { Draft } from './draft.js'
import { CoverageError, fingerprintOf, fromRoot, type Hasher } from './fingerprint.js'
import type { DiscoverOptions } from './options.js'
import type { Report } from './report.js'
import { stampOf, statOf } from './stamps.js'

/** Whether the content of the files matters: it must be trusted, or be what a manifest lists. */
export const needsProof = ({ kind }: Source, { trustAll }: DiscoverOptions): boolean =>
  kind === 'team' || (SOURCES[kind].needsTrust && !trustAll)

/** The hooks of one source, in the order of its file. Over the limits of coverage none of them is trusted. */
export async function defineHooks(
  drafts: readonly Draft[],
  source: Source,
  hasher: Hasher | undefined,
  options: DiscoverOptions,
  report: Report,
): Promise<HookDefinition[]> {
  const nameHook = openNames(source, options)
  const plain = drafts.map(draft => ({ draft, coverage: coverageIn(draft, source, options) }))
  const { needsTrust } = SOURCES[source.kind]
  let digests: Digests[] | undefined
  try {
    if (hasher) digests = await digestAll(plain, source, hasher, options)
  } catch (error) {
    if (!(error instanceof CoverageError)) throw error
    report.error('trust/not-coverable', {
      message: `The hooks of this file cannot be trusted: ${error.message}.`,
    })
  }
  const paths = hasher ? Object.freeze(hasher.paths) : NO_PATHS
  return Promise.all(
    plain.map(async ({ draft, coverage }, index) => {
      const { rank, dialect } = SOURCES[source.kind]
      const gap = coverage && needsTrust ? gapOf(coverage, source, options) : undefined
      const root = rootOf(source, options)
      const digest = digests?.[index]
      const fingerprint = digest ? fingerprintOf(draft, dialect, digest) : ''
      const mayRun = gap === undefined || options.fullCoverage !== true
      const trusted =
        !needsTrust || (mayRun && (options.trustAll || (await isTrusted(options, root, fingerprint))))
      const hook: Writable<HookDefinition> = {
        id: nameHook(draft.path),
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
        scripts: coverage ? scriptsIn(coverage, source, options) : NO_PATHS,
        covered: paths,
        fingerprint,
        trusted,
      }
      if (draft.command !== undefined) hook.command = draft.command
      if (draft.prompt !== undefined) hook.prompt = draft.prompt
      if (draft.model !== undefined) hook.model = draft.model
      if (draft.failClosed !== undefined) hook.failClosed = draft.failClosed
      if (source.plugin !== undefined) hook.plugin = source.plugin
      if (draft.managed !== undefined) hook.managed = draft.managed
      if (gap !== undefined) hook.gap = gap
      return hook
    }),
  )
}

const NO_PATHS: readonly Script[] = Object.freeze([])

type Digests = readonly (readonly [string, string])[]
type Writable<T> = { -readonly [K in keyof T]: T[K] }

const rootOf = (source: Source, { roots }: DiscoverOptions): string => source.root ?? roots[0] ?? source.cwd

function coverageIn(draft: Draft, source: Source, options: DiscoverOptions): Coverage | undefined {
  if (draft.command === undefined) return undefined
  const project = source.plugin === undefined ? (source.root ?? options.roots[0]) : options.roots[0]
  const variables = {
    CURSOR_PROJECT_DIR: project,
    CLAUDE_PROJECT_DIR: project,
    CURSOR_PLUGIN_ROOT: source.plugin,
    CLAUDE_PLUGIN_ROOT: source.plugin,
    HOME: options.home,
    PWD: source.cwd,
  }
  return coverageOf(draft.command, variables, options.platform)
}

/** For each hook: the configuration folder of its source, and what its own command names in the workspace. */
async function digestAll(
  hooks: readonly { readonly coverage: Coverage | undefined }[],
  source: Source,
  hasher: Hasher,
  options: DiscoverOptions,
): Promise<Digests[]> {
  const folder = configFolder(source)
  const root = rootOf(source, options)
  const shared = [fromRoot(root, folder), await hasher.digest(folder)] as const
  const all: Digests[] = []
  for (const { coverage } of hooks) {
    const digests = [shared]
    for (const [path, isAwaited] of coverage ? pathsOf(coverage, source, options) : []) {
      if (!isInside(root, path) || isInside(folder, path)) continue
      const digest = isAwaited ? await hasher.digest(path) : await hasher.digestIfPresent(path)
      if (digest !== undefined) digests.push([fromRoot(root, path), digest])
    }
    all.push(digests)
  }
  return all
}

/** Every file below it is covered: scripts load what is beside them. */
function configFolder({ kind, file, cwd, root, plugin }: Source): string {
  if (kind === 'team') return cwd
  if (plugin !== undefined) return plugin
  return resolve(root ?? cwd, relative(root ?? cwd, file).split(sep)[0]!)
}

/** A word may be meant from the folder in which the hook runs, or from the root of the project. */
function pathsOf(coverage: Coverage, source: Source, options: DiscoverOptions): Map<string, boolean> {
  const bases = [...new Set([source.cwd, rootOf(source, options)])]
  const paths = new Map<string, boolean>()
  for (const word of coverage.words) {
    const isAwaited = coverage.awaited.has(word)
    const from = word.startsWith('~/') ? options.home + word.slice(1) : word
    for (const base of bases) {
      const path = resolve(base, from)
      paths.set(path, isAwaited || paths.get(path) === true)
    }
  }
  return paths
}

/** Interpreters complete names by themselves, and then run a file that the command does not name. */
function gapOf(coverage: Coverage, source: Source, options: DiscoverOptions): string | undefined {
  const isAbsent = (word: string) =>
    [source.cwd, rootOf(source, options)].every(base => statOf(resolve(base, word)) === undefined)
  const absent = [...coverage.scripts].find(isAbsent)
  return coverage.gap ?? (absent === undefined ? undefined : `There is no file ${absent}.`)
}

/** Files that the command names, to be shown to people; not the programs of the machine. */
function scriptsIn(coverage: Coverage, source: Source, options: DiscoverOptions): readonly Script[] {
  const root = rootOf(source, options)
  const found: Script[] = []
  for (const [path, isAwaited] of pathsOf(coverage, source, options)) {
    if (found.length === MOST_SHOWN) break
    if (!isAwaited || (!isInside(root, path) && !isInside(source.cwd, path))) continue
    const stats = statOf(path)
    if (stats?.isFile()) found.push(Object.freeze({ path, stamp: stampOf(stats) }))
  }
  return found
}

const MOST_SHOWN = 20

/** A store that fails grants nothing. */
async function isTrusted({ trust }: DiscoverOptions, root: string, fingerprint: string): Promise<boolean> {
  if (fingerprint === '') return false
  try {
    return (await trust.has(root, fingerprint)) === true
  } catch {
    return false
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

/** Short if unambiguous: from the first root, from the home folder, else in full. */
function shortName(file: string, { roots, home }: DiscoverOptions): string {
  if (roots[0] !== undefined && isInside(roots[0], file)) return relative(roots[0], file).split(sep).join('/')
  if (isInside(home, file)) return `~/${relative(home, file).split(sep).join('/')}`
  return file
}

/** Ids of the hooks of one file. A file may contain an event twice, and then `hooks.stop[0]` twice. */
function openNames(source: Source, options: DiscoverOptions): (path: string) => string {
  const file = `${source.kind}:${shortName(source.file, options)}`
  const taken = new Map<string, number>()
  return path => {
    const count = (taken.get(path) ?? 0) + 1
    taken.set(path, count)
    return count === 1 ? `${file}:${path}` : `${file}:${path}#${count}`
  }
}
