// Drafts of one source → definitions: with ids, the files that they run, fingerprints and trust.

import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type Draft, promptName, urlName } from '../config/entry.js'
import { isInside, readStart, realPath, stampOf, statOf } from '../config/file.js'
import type { Report } from '../config/report.js'
import { Turns } from '../config/turns.js'
import { type HookDefinition, type Script, SOURCES, type Source } from '../protocol/config.js'
import { shellWord } from '../shell.js'
import { type Coverage, coverageOf, isAwaited } from './coverage.js'
import {
  CoverageError,
  type Digests,
  fingerprintOf,
  Hasher,
  type KnownFiles,
  loadHash,
} from './fingerprint.js'
import type { DiscoverOptions } from './locations.js'
import { mainFolderOf } from './worktree.js'

/** In the order of the file. Over the limits of coverage none of the hooks is trusted. `known`: verified files. */
export async function defineHooks(
  drafts: readonly Draft[],
  source: Source,
  options: DiscoverOptions,
  report: Report,
  known?: KnownFiles,
): Promise<HookDefinition[]> {
  const { rank, dialect, needsTrust } = SOURCES[source.kind]
  const turns = new Turns()
  const files = new Files(source, options)
  const nameHook = openNames(source, options)
  const covered: { draft: Draft; coverage: Coverage | undefined }[] = []
  for (const draft of drafts) {
    covered.push({ draft, coverage: files.coverageOf(draft) })
    await turns.giveWay()
  }
  // Elsewhere the content of the files does not matter.
  const isHashed = drafts.length > 0 && (source.kind === 'team' || (needsTrust && !options.trustAll))
  if (isHashed) await loadHash()
  const hasher = isHashed ? new Hasher(source.file, known) : undefined
  const digests = hasher && (await digestAll(covered, files, hasher, report))
  const paths = hasher ? Object.freeze(hasher.paths) : NO_FILES
  const hooks: HookDefinition[] = []
  for (const [index, { draft, coverage }] of covered.entries()) {
    await turns.giveWay()
    const gap = needsTrust ? (coverage ? files.gapOf(coverage) : serverGap(draft)) : undefined
    const digest = digests?.[index]
    const fingerprint = digest ? fingerprintOf(draft, dialect, digest) : ''
    const mayRun = gap === undefined || options.fullCoverage !== true
    const isAsked = needsTrust && mayRun && !options.trustAll
    const trustRoot = isAsked ? await files.findTrust(fingerprint, gap) : undefined
    const { place, path, name = nameOf(draft), mode = 'enforce' } = draft
    const { event, type, matcher, timeoutMs, loopLimit } = draft
    const { command, prompt, model, url, headers, failClosed, managed, async } = draft
    // The fields that planning reads are in a literal: V8 reads an object of spreads three times as slowly.
    const hook: HookDefinition = {
      id: nameHook(path),
      source: source.kind,
      rank,
      mode,
      event,
      type,
      name,
      matcher,
      timeoutMs,
      loopLimit,
      dialect,
      file: source.file,
      line: place.line,
      column: place.column,
      path,
      cwd: source.cwd,
      root: files.root,
      scripts: files.scriptsOf(draft, coverage),
      covered: paths,
      fingerprint,
      trusted: isAsked ? trustRoot !== undefined : mayRun || !needsTrust,
    }
    hooks.push(
      Object.assign(hook, {
        ...(command !== undefined && { command }),
        ...(prompt !== undefined && { prompt }),
        ...(model !== undefined && { model }),
        ...(url !== undefined && { url }),
        ...(headers !== undefined && { headers }),
        ...(async !== undefined && { async }),
        ...(failClosed !== undefined && { failClosed }),
        ...(managed !== undefined && { managed }),
        ...(source.plugin !== undefined && { plugin: source.plugin }),
        ...(gap !== undefined && { gap }),
        ...(trustRoot !== undefined && trustRoot !== files.root && { trustRoot }),
      }),
    )
  }
  return hooks
}

/** The response of a server can change while its address stays the same. */
const serverGap = ({ url }: Draft): string | undefined =>
  url === undefined ? undefined : `${new URL(url).host} decides, and trust does not cover its program.`

const NO_FILES: readonly Script[] = Object.freeze([])
const MOST_SHOWN = 20
const MOST_FIRST_LINES = 3

/** Undefined over the limits of coverage. */
async function digestAll(
  hooks: readonly { readonly draft: Draft; readonly coverage: Coverage | undefined }[],
  files: Files,
  hasher: Hasher,
  report: Report,
): Promise<Digests[] | undefined> {
  try {
    const shared = await files.digestFolder(hasher)
    const all: Digests[] = []
    for (const { draft, coverage } of hooks)
      all.push([...shared, ...(await files.digestOwn(draft, coverage, hasher))])
    return all
  } catch (error) {
    if (!(error instanceof CoverageError)) throw error
    report.error('trust/not-coverable', {
      message: `The hooks of this file cannot be trusted: ${error.message}.`,
    })
    return undefined
  }
}

/** The files that the hooks of one source may run. */
class Files {
  readonly root: string
  private readonly realRoot: string
  /** Covered completely, because scripts load files beside them. */
  private readonly folder: string
  private readonly isTeam: boolean
  private path: { readonly folders: readonly string[]; readonly inWorkspace: number } | undefined
  private main: { readonly folder: string | undefined } | undefined

  constructor(
    private readonly source: Source,
    private readonly options: DiscoverOptions,
  ) {
    const { kind, cwd, file, plugin } = source
    this.root = source.root ?? options.roots[0] ?? cwd
    this.realRoot = realPath(this.root)
    this.folder = plugin ?? resolve(this.root, relative(this.root, file).split(sep)[0]!)
    this.isTeam = kind === 'team'
  }

  /** The files of a manifest are known without their commands. */
  coverageOf({ command }: Draft): Coverage | undefined {
    if (command === undefined || this.isTeam) return undefined
    const { source, options } = this
    const project = source.plugin === undefined ? (source.root ?? options.roots[0]) : options.roots[0]
    const variables = {
      CURSOR_PROJECT_DIR: project,
      CLAUDE_PROJECT_DIR: project,
      CURSOR_PLUGIN_ROOT: source.plugin,
      CLAUDE_PLUGIN_ROOT: source.plugin,
      HOME: options.home,
      PWD: source.cwd,
    }
    return coverageOf(command, variables, options.platform)
  }

  async digestFolder(hasher: Hasher): Promise<Digests> {
    if (this.isTeam) return [['', hasher.digestNames(this.source.cwd)]]
    const digests: [string, string][] = [[this.nameOf(this.folder), await hasher.digest(this.folder)]]
    for (let folder = realPath(this.folder); isInside(this.realRoot, folder); ) {
      folder = dirname(folder)
      const path = join(folder, 'package.json')
      const digest = hasher.digestModuleType(path)
      if (digest !== undefined) digests.push([relative(this.realRoot, path), digest])
    }
    return digests
  }

  async digestOwn({ script }: Draft, coverage: Coverage | undefined, hasher: Hasher): Promise<Digests> {
    if (script !== undefined) return [[relative(this.source.cwd, script), await hasher.digest(script)]]
    const digests: [string, string][] = []
    for (const [path, isNeeded] of coverage ? this.pathsOf(coverage) : []) {
      // Of the configuration file only the definitions are covered, unless a command runs the file itself.
      const isDone = isInside(this.folder, path) && path !== this.source.file
      if (!isInside(this.root, path) || isDone) continue
      const digest = isNeeded ? await hasher.digest(path) : await hasher.digestIfPresent(path)
      if (digest !== undefined) digests.push([this.nameOf(path), digest])
    }
    return digests
  }

  /** For people to read; without the programs of the machine. */
  scriptsOf({ script }: Draft, coverage: Coverage | undefined): readonly Script[] {
    const paths = script === undefined ? (coverage ? this.pathsOf(coverage) : []) : [[script, true] as const]
    const found: Script[] = []
    for (const [path, isNeeded] of paths) {
      if (found.length === MOST_SHOWN) break
      const isOwn = isInside(this.root, path) || isInside(this.source.cwd, path)
      const stats = isNeeded && isOwn ? statOf(path) : undefined
      if (stats?.isFile()) found.push(Object.freeze({ path, stamp: stampOf(stats) }))
    }
    return found
  }

  /** `depth`: how many scripts lead here by their first line. */
  gapOf(coverage: Coverage, depth = 0): string | undefined {
    if (coverage.gap !== undefined) return coverage.gap
    for (const tool of coverage.tools) {
      const folder = this.firstInWorkspace(tool)
      if (folder !== undefined)
        return `${tool} may be a file of the workspace, because PATH contains ${folder || '.'}.`
    }
    for (const [word, interpreter] of coverage.programs) {
      const paths = this.resolve(word)
      const path = paths.find(one => statOf(one)) ?? paths[0]!
      const real = realPath(path)
      if (!isInside(this.root, path) || (real !== path && !isInside(this.realRoot, real)))
        return `${word} is outside the workspace.`
      const isFile = statOf(path)?.isFile() === true
      // An interpreter completes names by itself, and then runs a file that the command does not name.
      if (interpreter !== undefined && !isFile) return `There is no file ${word}.`
      if (!isInside(this.folder, path) || !isInside(realPath(this.folder), real))
        return `${word} may load files from its folder, which trust does not cover.`
      const inner = interpreter === undefined && isFile ? this.gapOfFirstLine(path, word, depth) : undefined
      if (inner !== undefined) return inner
    }
    return undefined
  }

  /** The folder of the workspace that PATH names before the folder of this program of the machine. */
  private firstInWorkspace(tool: string): string | undefined {
    this.path ??= this.readPath()
    const { folders, inWorkspace } = this.path
    const isFound = folders.slice(0, inWorkspace).some(folder => statOf(join(folder, tool)))
    return isFound ? undefined : folders[inWorkspace]
  }

  /** The folders of PATH, and the index of the first one in the workspace. */
  private readPath() {
    const { env, platform } = this.options
    const [, path = ''] = Object.entries(env).find(([name]) => /^path$/i.test(name)) ?? []
    const folders = path === '' ? [] : path.split(platform === 'win32' ? ';' : ':')
    const inWorkspace = folders.findIndex(folder => {
      const real = realPath(folder)
      return !isAbsolute(folder) || real === this.realRoot || isInside(this.realRoot, real)
    })
    return { folders, inWorkspace: inWorkspace === -1 ? folders.length : inWorkspace }
  }

  /** The system starts a script as its first line says: `#!/usr/bin/env python3` is the command `env python3 script`. */
  private gapOfFirstLine(path: string, word: string, depth: number): string | undefined {
    const [, line] = /^#!([^\n]*)/.exec(readStart(path)) ?? []
    if (line === undefined) return undefined
    if (depth === MOST_FIRST_LINES) return `${word} is started by too many scripts.`
    const command = line.trim().replace(/^(\S*\/env)\s+-S\s*/, '$1 ')
    const gap = this.gapOf(coverageOf(`${command} ${shellWord(word)}`, {}, this.options.platform), depth + 1)
    return gap === undefined ? undefined : `The first line of ${word}: ${gap}`
  }

  /**
   * The root whose trust applies. A worktree has the trust of its main worktree for hooks of the same content that are
   * fully covered: other files that a hook runs may differ.
   */
  async findTrust(fingerprint: string, gap: string | undefined): Promise<string | undefined> {
    const { root, options } = this
    if (await isTrusted(options, root, fingerprint)) return root
    const main = gap === undefined ? this.mainFolder : undefined
    return main !== undefined && (await isTrusted(options, main, fingerprint)) ? main : undefined
  }

  private get mainFolder(): string | undefined {
    this.main ??= { folder: mainFolderOf(this.root) }
    return this.main.folder
  }

  /** The paths that the words may mean, and whether they count while they are absent. */
  private pathsOf(coverage: Coverage): Map<string, boolean> {
    const paths = new Map<string, boolean>()
    for (const word of coverage.words) {
      const isNeeded = isAwaited(word, coverage)
      for (const path of this.resolve(word)) paths.set(path, isNeeded || paths.get(path) === true)
    }
    return paths
  }

  /** A word may be meant from the folder in which the hook runs, or from the root of the project. */
  private resolve(word: string): string[] {
    const from = word.startsWith('~/') ? this.options.home + word.slice(1) : word
    return [...new Set([this.source.cwd, this.root])].map(base => {
      const path = resolve(base, from)
      // The root may have been given as a link.
      return isInside(this.realRoot, path) ? resolve(this.root, relative(this.realRoot, path)) : path
    })
  }

  /** The same on every machine that has the project, wherever it is. */
  private nameOf(path: string): string {
    return relative(this.root, path).replaceAll(sep, '/')
  }
}

/** A store that fails grants nothing. */
async function isTrusted({ trust }: DiscoverOptions, root: string, fingerprint: string): Promise<boolean> {
  if (fingerprint === '') return false
  try {
    return (await trust.has(root, fingerprint)) === true
  } catch {
    return false
  }
}

const nameOf = ({ command, prompt = '', url }: Draft): string =>
  url === undefined ? (command ?? promptName(prompt)) : urlName(url)

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

/** Relative to the first root or to the home folder, if the file is below one of them. A folder may be called `~`. */
function shortName(file: string, { roots, home }: DiscoverOptions): string {
  if (roots[0] !== undefined && isInside(roots[0], file))
    return relative(roots[0], file).split(sep).join('/').replace(/^~/, './~')
  if (isInside(home, file)) return `~/${relative(home, file).split(sep).join('/')}`
  return file
}
