// Disk → Catalog. Every source in its order, each as a layer; nothing here throws for what a file holds.

import { dirname } from 'node:path'
import type { Catalog, HookDefinition, Layer, SourceKind } from '../protocol/config.js'
import { EVENT_NAMES, type EventName } from '../protocol/events.js'
import { freeze, frozenMap } from './freeze.js'
import { loadLayer } from './layer.js'
import { locations, managedFolder } from './locations.js'
import type { DiscoverOptions } from './options.js'
import { openReport } from './report.js'
import { findMissing } from './required.js'
import { findTeams, settle } from './settle.js'
import { ABSENT, currentStamp, rememberStamp } from './stamps.js'

export { isUnchanged, isUnchangedAtEnd } from './fingerprint.js'
export { locations } from './locations.js'
export { compileMatcher } from './matcher.js'
export type { DiscoverOptions } from './options.js'
export { ageless, currentStamp, readStamp, statOf } from './stamps.js'
export { fileTrustStore, memoryTrustStore, type TrustStore } from './trust.js'
export { type Watch, watch } from './watch.js'
export { watchedPaths } from './watched.js'

/** With the previous catalog at hand, a file that broke meanwhile keeps its last good hooks. */
export async function discover(given: DiscoverOptions, previous?: Catalog): Promise<Catalog> {
  const options = settle(given)
  const teams = findTeams(options, previous)
  const sources = locations({ ...options, teams: teams.ids })
  const layers: Layer[] = []
  const { file: trustFile } = options.trust
  const trustStamp = trustFile === undefined ? ABSENT : currentStamp(trustFile)
  for (const source of sources) layers.push(await loadLayer(source, options, previous))
  if (teams.problem !== undefined) layers.splice(1, 0, unlistedTeams(options, teams.problem))
  // Trust that was withdrawn since the first question of this discovery is noticed by the watcher.
  if (trustFile !== undefined) rememberStamp(trustFile, trustStamp)
  const missing = findMissing(options, layers)
  return freeze({
    layers,
    byEvent: frozenMap(sortByEvent(layers)),
    issues: [...layers.flatMap(layer => layer.issues), ...missing],
    missing,
  })
}

/** There may be teams, and nobody can say which. */
function unlistedTeams(options: DiscoverOptions, reason: string): Layer {
  const file = managedFolder(options)
  const report = openReport('team', file)
  report.error('config/unreadable', { message: `The folder of managed hooks cannot be read: ${reason}.` })
  const source = { kind: 'team', file, cwd: file, format: 'manifest' } as const
  return { source, state: 'failed', hooks: [], issues: report.issues, dropped: 0 }
}

/** One file as if it were the project file of its folder, or of another; for tools that look at files. */
export async function inspectFile(file: string, given: DiscoverOptions, of?: Folders): Promise<Layer> {
  const { root, cwd } = of ?? { root: dirname(file), cwd: dirname(file) }
  const source = { kind: of?.kind ?? 'project', file, cwd, root, format: 'hooks' } as const
  // Trust does not matter for a file that is only examined.
  return freeze(await loadLayer(source, settle({ ...given, trustAll: true })))
}

/** The project that a file is to belong to, and where its hooks run. */
export interface Folders {
  readonly root: string
  readonly cwd: string
  /** project, when absent. */
  readonly kind?: SourceKind
}

/** Layers are in order of rank and root, and hooks in order of the file. */
function sortByEvent(layers: readonly Layer[]): Map<EventName, readonly HookDefinition[]> {
  const byEvent = new Map<EventName, HookDefinition[]>(EVENT_NAMES.map(name => [name, []]))
  for (const layer of layers) for (const hook of layer.hooks) byEvent.get(hook.event)?.push(hook)
  return byEvent
}
