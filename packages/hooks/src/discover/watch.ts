// Reports that one of a set of paths changed. Watching folders is quick, but misses folders that are created or replaced
// later; polling misses nothing. Both are used.

import { type FSWatcher, watch as watchFolder } from 'node:fs'
import { dirname, join } from 'node:path'
import { currentStamp, stampWhenRead, statOf } from '../config/file.js'
import type { Catalog } from '../protocol/config.js'
import { managedFolder } from '../team/place.js'
import { type DiscoverOptions, findTeams, locations, normalise } from './locations.js'
import { defaultHooks } from './plugin.js'

/** Every path whose change can change the catalog, including paths that do not exist yet. */
export function watchedPaths(given: DiscoverOptions, catalog: Catalog): string[] {
  const options = normalise(given)
  const paths = new Set<string>()
  for (const source of locations({ ...options, teams: findTeams(options, catalog).ids })) {
    paths.add(source.file)
    if (source.plugin !== undefined) paths.add(defaultHooks(source.plugin))
  }
  // A team that is joined later appears as a new folder in here.
  if (options.teamId === undefined) paths.add(managedFolder(options.home, options.platform))
  if (options.trust.file !== undefined) paths.add(options.trust.file)
  for (const { source, state, hooks } of catalog.layers) {
    paths.add(source.file)
    // A repair may leave the manifest as it is.
    if (source.kind === 'team' && state === 'failed') {
      for (const name of ['enrolment.json', 'state.json', 'trust']) paths.add(join(dirname(source.cwd), name))
      paths.add(join(source.cwd, 'release.json'))
    }
    // All hooks of a source share the list.
    for (const { path } of hooks[0]?.covered ?? []) paths.add(path)
  }
  return [...paths]
}

export interface Watch {
  update(paths: readonly string[]): void
  close(): void
}

const POLL_MS = 300
/** Several writes in this time are one change. */
const SETTLE_MS = 30
const COMPARE_MS = 15

export function watch(
  paths: readonly string[],
  onChange: () => void,
  options: { pollMs?: number } = {},
): Watch {
  const watcher = new Watcher(onChange)
  watcher.update(paths)
  watcher.start(options.pollMs ?? POLL_MS)
  return watcher
}

class Watcher implements Watch {
  private stamps = new Map<string, string>()
  private readonly folders = new Map<string, { ino: bigint; watcher: FSWatcher }>()
  private poll: NodeJS.Timeout | undefined
  private comparison: NodeJS.Timeout | undefined
  private report: NodeJS.Timeout | undefined
  private closed = false

  constructor(private readonly onChange: () => void) {}

  start(pollMs: number) {
    this.poll = setInterval(() => this.compare(), pollMs).unref()
  }

  update(paths: readonly string[]) {
    if (this.closed) return
    // Paths that stay keep their stamp, so that a change that was not noticed yet is not lost.
    this.stamps = new Map(paths.map(path => [path, this.stamps.get(path) ?? stampWhenRead(path)]))
    this.watchFolders()
  }

  close() {
    this.closed = true
    clearInterval(this.poll)
    clearTimeout(this.comparison)
    clearTimeout(this.report)
    for (const { watcher } of this.folders.values()) watcher.close()
    this.folders.clear()
  }

  private compare() {
    this.comparison = undefined
    if (this.closed) return
    this.watchFolders()
    let changed = false
    for (const [path, stamp] of this.stamps) {
      const now = currentStamp(path)
      if (now === stamp) continue
      this.stamps.set(path, now)
      changed = true
    }
    if (!changed || this.report) return
    this.report = setTimeout(() => {
      this.report = undefined
      this.onChange()
    }, SETTLE_MS).unref()
  }

  /** A folder that was removed and created again needs a new watcher. */
  private watchFolders() {
    const wanted = new Set([...this.stamps.keys()].map(path => dirname(path)))
    for (const [folder, { ino, watcher }] of this.folders) {
      if (wanted.has(folder) && statOf(folder)?.ino === ino) continue
      watcher.close()
      this.folders.delete(folder)
    }
    for (const folder of wanted) {
      if (this.folders.has(folder)) continue
      const stats = statOf(folder)
      if (!stats?.isDirectory()) continue
      try {
        const watcher = watchFolder(folder, { persistent: false }, () => this.compareSoon())
        // Polling still finds every change.
        watcher.on('error', () => watcher.close())
        this.folders.set(folder, { ino: stats.ino, watcher })
      } catch {
        // too many watchers, or a file system without support
      }
    }
  }

  private compareSoon() {
    this.comparison ??= setTimeout(() => this.compare(), COMPARE_MS).unref()
  }
}
