// Where things are, under ~/.cursor/managed.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { OperatingSystem } from './release.js'

export interface Place {
  readonly managed: string
  /** The id of the machine, the same for all teams. */
  readonly device: string
  /** Of one team. */
  readonly folder: string
  readonly enrolment: string
  readonly trust: string
  readonly state: string
  readonly store: string
  readonly hooks: string
  readonly queue: string
  readonly lock: string
}

export const managedFolder = (home: string): string => join(home, '.cursor', 'managed')

export function placeOf(home: string, teamId: string): Place {
  const managed = managedFolder(home)
  const folder = join(managed, `team_${teamId}`)
  const at = (name: string) => join(folder, name)
  return {
    managed,
    device: join(managed, 'device.json'),
    folder,
    enrolment: at('enrolment.json'),
    trust: at('trust'),
    state: at('state.json'),
    store: at('store'),
    hooks: at('hooks'),
    queue: at('queue'),
    lock: at('lock'),
  }
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, OperatingSystem>>> = {
  win32: 'Windows',
  darwin: 'Macintosh',
}

export const systemOf = (platform: NodeJS.Platform): OperatingSystem => SYSTEMS[platform] ?? 'Linux'

/** The folder of a team must be a folder: a link would take its files elsewhere. */
export function folderProblem(place: Place): string | undefined {
  for (const path of [place.managed, place.folder, place.store, place.trust, place.queue]) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats && !stats.isDirectory()) return `${path} is not a folder; remove it.`
  }
  return undefined
}
