// The few questions to the disk that come before the table of locations.

import { readdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isTeamId, managedFolder } from './locations.js'
import type { DiscoverOptions } from './options.js'

/** Absolute folders, each once. */
export function settle(options: DiscoverOptions): DiscoverOptions {
  return { ...options, roots: distinct(options.roots), plugins: distinct(options.plugins) }
}

/** The same folder may be given through a link; its first name stays. */
function distinct(folders: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const folder of folders) {
    const path = resolve(folder)
    const real = realPath(path)
    if (!seen.has(real)) seen.set(real, path)
  }
  return [...seen.values()]
}

const realPath = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

export function findTeams(options: DiscoverOptions): string[] {
  if (options.teamId !== undefined) return []
  try {
    return readdirSync(managedFolder(options))
      .filter(name => name.startsWith('team_'))
      .map(name => name.slice('team_'.length))
      .filter(isTeamId)
      .sort()
  } catch {
    return []
  }
}
