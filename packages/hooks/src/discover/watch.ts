// Says when one of a set of paths changed. Watching folders is quick but goes blind when a folder is missing
// or made anew; looking again and again misses nothing. So both.

import { type FSWatcher, watch as watchFolder } from 'node:fs'
import { dirname } from 'node:path'
import { currentStamp, stampWhenRead, statOf } from './stamps.js'

export interface Watch {
  update(paths: readonly string[]): void
  close(): void
}

const POLL_MS = 300
/** A burst of writes is one change. */
const SETTLE_MS = 30
const GLANCE_MS = 15

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
  private glance: NodeJS.Timeout | undefined
  private report: NodeJS.Timeout | undefined
  private closed = false

  constructor(private readonly onChange: () => void) {}

  start(pollMs: number) {
    this.poll = setInterval(() => this.look(), pollMs).unref()
  }

  update(paths: readonly string[]) {
    if (this.closed) return
    // Paths that stay keep their stamp: a change that was not seen yet must not be swallowed.
    this.stamps = new Map(paths.map(path => [path, this.stamps.get(path) ?? stampWhenRead(path)]))
    this.watchFolders()
  }

  close() {
    this.closed = true
    clearInterval(this.poll)
    clearTimeout(this.glance)
    clearTimeout(this.report)
    for (const { watcher } of this.folders.values()) watcher.close()
    this.folders.clear()
  }

  private look() {
    this.glance = undefined
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

  /** A folder that was removed and made again is another folder under the same name. */
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
        const watcher = watchFolder(folder, { persistent: false }, () => this.lookSoon())
        // Without it the next round of looking still sees every change.
        watcher.on('error', () => watcher.close())
        this.folders.set(folder, { ino: stats.ino, watcher })
      } catch {
        // too many watches, or a file system that has none
      }
    }
  }

  private lookSoon() {
    this.glance ??= setTimeout(() => this.look(), GLANCE_MS).unref()
  }
}
