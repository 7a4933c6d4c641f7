// Disk → Catalog: every source in its order, each as a layer. Nothing here throws because of the content of a file.

import { dirname } from 'node:path'
import { currentStamp, NO_FILE, statOf, storeStamp } from '../config/file.js'
import { openReport } from '../config/report.js'
import {
  type Catalog,
  type HookDefinition,
  type Issue,
  type Layer,
  type Script,
  SOURCES,
  type SourceKind,
} from '../protocol/config.js'
import { EVENT_NAMES, type EventName } from '../protocol/events.js'
import { freeze } from '../protocol/freeze.js'
import { managedFolder } from '../team/place.js'
import { loadLayer } from './layer.js'
import { type DiscoverOptions, findTeams, locations, normalise } from './locations.js'
import { mainFolderOf } from './worktree.js'

export { ageless, currentStamp, readStamp, statOf } from '../config/file.js'
export { compileMatcher } from '../config/matcher.js'
export { isUnchanged, isUnchangedAtEnd } from './fingerprint.js'
export { type DiscoverOptions, locations } from './locations.js'
export { fileTrustStore, memoryTrustStore, type TrustStore } from './trust.js'
export { type Watch, watch, watchedPaths } from './watch.js'

/** With the previous catalog, a file that broke meanwhile keeps its last good hooks. */
export async function discover(given: DiscoverOptions, previous?: Catalog): Promise<Catalog> {
  const options = normalise(given)
  const teams = findTeams(options, previous)
  const layers: Layer[] = []
  const { file: trustFile } = options.trust
  const trustStamp = trustFile === undefined ? NO_FILE : currentStamp(trustFile)
  for (const source of locations({ ...options, teams: teams.ids }))
    layers.push(await loadLayer(source, options, previous))
  if (teams.problem !== undefined) layers.splice(1, 0, unlistedTeams(options, teams.problem))
  // The watcher then notices trust that was withdrawn since the first use of this file.
  if (trustFile !== undefined) storeStamp(trustFile, trustStamp)
  const missing = findMissing(options, layers)
  return freeze({
    layers,
    byEvent: readOnly(sortByEvent(layers)),
    issues: [...layers.flatMap(layer => layer.issues), ...missing],
    missing,
  })
}

/** One layer for all teams, whose folders cannot be listed. */
function unlistedTeams({ home, platform }: DiscoverOptions, reason: string): Layer {
  const file = managedFolder(home, platform)
  const report = openReport('team', file)
  report.error('config/unreadable', { message: `The folder of managed hooks cannot be read: ${reason}.` })
  const source = { kind: 'team', file, cwd: file, format: 'manifest' } as const
  return { source, state: 'failed', hooks: [], issues: report.issues, dropped: 0 }
}

/** Loads one file as if it were the hooks.json of a project, without trust. For tools that examine files. */
export async function inspectFile(file: string, given: DiscoverOptions, of?: Folders): Promise<Layer> {
  const { root, cwd } = of ?? { root: dirname(file), cwd: dirname(file) }
  const source = { kind: of?.kind ?? 'project', file, cwd, root, format: 'hooks' } as const
  return freeze(await loadLayer(source, normalise({ ...given, trustAll: true })))
}

/** The project of an inspected file, and where its hooks run. */
export interface Folders {
  readonly root: string
  readonly cwd: string
  /** (default: project) */
  readonly kind?: SourceKind
}

/** Layers are in order of rank and root, and hooks in order of the file. */
function sortByEvent(layers: readonly Layer[]): Map<EventName, readonly HookDefinition[]> {
  const byEvent = new Map<EventName, HookDefinition[]>(EVENT_NAMES.map(name => [name, []]))
  for (const layer of layers) for (const hook of layer.hooks) byEvent.get(hook.event)?.push(hook)
  return byEvent
}

/** Freezing a Map does not stop `set`; this does. */
function readOnly<K, V>(map: Map<K, V>): ReadonlyMap<K, V> {
  const value = () => {
    throw new TypeError('The catalogue is frozen.')
  }
  for (const name of ['set', 'delete', 'clear'] as const) Object.defineProperty(map, name, { value })
  return map
}

/**
 * Required sources that are missing. An incomplete one counts as missing, because some of its hooks do not run. With
 * `requireIntact`, each hooks.json that exists is required.
 */
function findMissing(options: DiscoverOptions, layers: readonly Layer[]): Issue[] {
  const issues: Issue[] = []
  const add = (kind: SourceKind, file: string, message: string) => {
    const report = openReport(kind, file)
    report.error('config/required-missing', {
      message: `${message}: ${file}. Permission events are denied.`,
      hint: `Restore ${file}.`,
    })
    issues.push(...report.issues)
  }
  for (const kind of new Set(options.required)) {
    const addRequired = (file: string, reason: string) =>
      add(kind, file, `The ${kind} source is required, and ${reason}`)
    const own = layers.filter(layer => layer.source.kind === kind)
    const isAbsent = own.every(layer => layer.state === 'absent')
    if (isAbsent) addRequired(own[0]?.source.file ?? expectedFile(kind, options), ABSENT_FILE)
    for (const layer of isAbsent ? [] : own) {
      const problem = problemOf(layer, options)
      if (problem !== undefined) addRequired(layer.source.file, problem)
    }
  }
  if (!options.requireIntact) return issues
  for (const layer of layers) {
    const { kind, file, format } = layer.source
    if (format !== 'hooks' || options.required.includes(kind) || !couldRun(layer, options)) continue
    const problem = problemOf(layer, options)
    if (problem !== undefined) add(kind, file, `The ${kind} source is incomplete, because ${problem}`)
  }
  return issues
}

/** Whether hooks of a broken file would run if it were intact: not those of a project that was never trusted. */
function couldRun({ source, hooks }: Layer, { trust, trustAll }: DiscoverOptions): boolean {
  if (!SOURCES[source.kind].needsTrust || trustAll || hooks.some(({ trusted }) => trusted)) return true
  const roots = [source.root!, mainFolderOf(source.root!)]
  return roots.some(root => root !== undefined && (trust.knows?.(root) ?? true))
}

const ABSENT_FILE = 'its file does not exist'

function problemOf(layer: Layer, { platform }: DiscoverOptions): string | undefined {
  const { state, team, dropped, hooks, source } = layer
  if (state === 'failed') return `its file could not be loaded${firstError(layer)}`
  // One root of a workspace may have no hooks. A team always has a manifest, and another team does not replace it.
  if (state === 'absent') return source.kind === 'team' ? ABSENT_FILE : undefined
  if (team?.isVerified === false) return 'it is not signed'
  if (team?.isSwitchedOff) return 'the kill switch of the team is on'
  if (dropped > 0) return `${dropped} of its hooks had to be left out${firstError(layer)}`
  // The device client delivers managed folders complete and executable.
  const canStart = hooks.every(
    ({ command, scripts }) => command === undefined || scripts.some(script => isExecutable(script, platform)),
  )
  return source.kind === 'team' && state === 'loaded' && !canStart
    ? 'a script of it cannot be started'
    : undefined
}

function firstError({ issues }: Layer): string {
  const issue = issues.find(({ severity }) => severity === 'error')
  if (!issue) return ''
  const { line, column, message } = issue
  const where = line > 0 ? `line ${line}, column ${column}: ` : ''
  return ` (${where}${message.replace(/\.$/, '')})`
}

/** By the bits, because root passes every access check. */
const isExecutable = ({ path }: Script, platform: NodeJS.Platform): boolean =>
  platform === 'win32' || ((statOf(path)?.mode ?? 0n) & 0o111n) !== 0n

/** Where the file would be, if the options name no place for it: no team folder, no workspace. */
function expectedFile(kind: SourceKind, options: DiscoverOptions): string {
  const all = locations({ ...options, claude: true, teams: [] })
  const elsewhere = kind === 'team' ? managedFolder(options.home, options.platform) : options.home
  return all.find(source => source.kind === kind)?.file ?? elsewhere
}
