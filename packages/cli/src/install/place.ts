// Which settings of an agent are meant: those of the user, of the project, or of the machine.

import { accessSync, constants, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { BRIDGES, type Bridge, findBridge, managedPath } from '@holdfast/hooks/bridges'
import { Complaint } from '../complaint.js'
import { journalFolder } from '../edit/journal.js'
import { levelOf } from '../init/level.js'
import { type Given, known, noMore, OUTPUT } from '../options.js'
import { shortPath } from '../print/place.js'
import type { Workspace } from '../workspace.js'

export const OPTIONS = {
  project: 'flag',
  user: 'flag',
  managed: 'flag',
  'dry-run': 'flag',
  root: 'value',
  home: 'value',
  // Not in the help: the folder above the files of the machine, for tests.
  'managed-root': 'value',
  ...OUTPUT,
  // Only where the hooks themselves go into the agent.
  enterprise: 'flag',
  'enterprise-dir': 'value',
  from: 'value',
  name: 'value',
} as const

/** Cursor runs hooks by itself and needs no bridge. */
export const CURSOR = 'cursor'
const FOR_CURSOR = ['enterprise', 'enterprise-dir', 'from', 'name'] as const

export const INSTALL_LEVELS = ['user', 'project', 'managed'] as const
export type InstallLevel = (typeof INSTALL_LEVELS)[number]

export interface Place {
  readonly bridge: Bridge
  readonly level: InstallLevel
  readonly file: string
  /** The folder of the journal, and the mode of the folders that are made for it. */
  readonly journal: string
  readonly journalMode: number
}

export function placeOf(command: string, given: Given, workspace: Workspace): Place {
  const [name] = given.positionals
  const names = [...BRIDGES.map(bridge => bridge.name), CURSOR]
  if (name === undefined) throw new Complaint(`${command} needs an agent: ${names.join(', ')}.`)
  noMore(command, given.positionals, 1)
  const bridge = findBridge(known('agent', name, names))!
  const stray = FOR_CURSOR.find(option => given.has(option))
  if (stray) throw new Complaint(`--${stray} is for Cursor only: holdfast ${command} ${CURSOR}`)
  const levels = INSTALL_LEVELS.filter(level => given.has(level))
  if (levels.length > 1) {
    throw new Complaint(`Give ${levels.map(level => `--${level}`).join(' or ')}, not both.`)
  }
  const [level = 'user'] = levels
  const place = placeAt(bridge, level, workspace)
  if (place) return place
  throw new Complaint(
    `${bridge.title} has no settings of the machine that holdfast can write. Agents that have: ${names
      .filter(one => findBridge(one)?.config.managed)
      .join(', ')}.`,
  )
}

/** Undefined if the agent has no such file. */
export function placeAt(bridge: Bridge, level: InstallLevel, workspace: Workspace): Place | undefined {
  const { home, managedRoot } = workspace
  if (level === 'managed') {
    const { managed } = bridge.config
    if (!managed) return undefined
    const path = managedPath(managed)
    const file = managedRoot === undefined ? path : join(managedRoot, path)
    // Another administrator may undo it, and nobody else.
    return { bridge, level, file, journal: join(dirname(file), '.holdfast'), journalMode: 0o755 }
  }
  const folder = level === 'user' ? home : levelOf('project', workspace).folder
  const file = fileOf(bridge, level, folder)
  return { bridge, level, file, journal: journalFolder(home, folder), journalMode: 0o700 }
}

/** The user's own folder for the agent counts for their own home only. */
function fileOf({ config }: Bridge, level: 'user' | 'project', folder: string): string {
  const other = process.env[config.folderVariable ?? '']
  const isMeant = level === 'user' && folder === homedir() && other && isAbsolute(other)
  return isMeant ? join(other, basename(config.files.user)) : join(folder, config.files[level])
}

/** ` --project` behind a command that is shown to the user. */
export const flagOf = ({ level }: Pick<Place, 'level'>): string => (level === 'user' ? '' : ` --${level}`)

/** Checked first, because the error of the system does not name the cause. */
export function mustBeWritable(place: Place, command: string, { screen }: Workspace): void {
  if (place.level !== 'managed') return
  const nearest = above(dirname(place.file))
  try {
    accessSync(nearest, constants.W_OK)
  } catch {
    const call = `holdfast ${command} ${place.bridge.name} --managed`
    const fix =
      process.platform === 'win32'
        ? `Start a terminal as administrator, then: ${call}`
        : `As an administrator: sudo ${call}`
    throw new Complaint(`${shortPath(nearest, screen)} cannot be written. Nothing was written. ${fix}`)
  }
}

const above = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : above(dirname(folder))
