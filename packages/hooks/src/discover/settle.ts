// The few questions to the disk that come before the table of locations.

import { readdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Catalog } from '../protocol/config.js'
import { isTeamId, managedFolder } from './locations.js'
import type { DiscoverOptions } from './options.js'
import { reasonOf } from './read.js'

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

export interface Teams {
  readonly ids: readonly string[]
  /** Why the managed folder could not be listed. */
  readonly problem?: string
}

/** A folder that cannot be listed any more is no reason to forget the teams that were in it. */
export function findTeams(options: DiscoverOptions, previous?: Catalog): Teams {
  if (options.teamId !== undefined) return { ids: [options.teamId] }
  try {
    return { ids: readdirSync(managedFolder(options)).flatMap(idOf).sort() }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ids: [] }
    const known = previous?.layers.filter(({ source }) => source.kind === 'team') ?? []
    return {
      ids: known.flatMap(({ source }) => idOf(TEAM_FOLDER.exec(source.file)?.[1] ?? '')),
      problem: reasonOf(error),
    }
  }
}

/** Of a manifest; its folder may be a link to somewhere else. */
const TEAM_FOLDER = /[\\/]([^\\/]+)[\\/]hooks[\\/]manifest\.json$/

const idOf = (folder: string): string[] => {
  const id = /^team_(.*)$/.exec(folder)?.[1]
  return id !== undefined && isTeamId(id) ? [id] : []
}
