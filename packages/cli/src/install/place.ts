// Which settings of an agent are meant: those of the user, of the project, or of the machine.

import { accessSync, constants, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { BRIDGES, type Bridge, findBridge, managedPath } from '@holdfast/hooks/bridges'
import { flag, type Given, type OptionTable, oneOf, value } from '../arguments.js'
import type { Argument, OptionSection } from '../command.js'
import { journalFolder } from '../edit/journal.js'
import { levelOf } from '../init/level.js'
import { home, MANAGED_ROOT, OUTPUT, root } from '../option-sections.js'
import { shortPath } from '../print/place.js'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'

/** Cursor runs hooks by itself and needs no bridge. */
export const CURSOR = 'cursor'
const AGENTS = [...BRIDGES.map(({ name }) => name), CURSOR]

export const AGENT_ARGUMENT: Argument = { name: 'agent', summary: AGENTS.join(', '), values: AGENTS }

const FOR_CURSOR = {
  enterprise: flag('in the hooks.json of the machine, for all users'),
  name: value('NAME', 'name of the folder of the scripts', { defaultText: 'the name of the project' }),
  'enterprise-dir': value('DIR', 'folder of the hooks.json of the machine', {
    defaultText: 'that of Cursor',
  }),
}

/** Which settings: options of install and uninstall. */
export const levelOptions = (more: OptionTable, forCursor: OptionTable): OptionSection[] => [
  {
    options: {
      user: flag('in your own settings (default)'),
      project: flag('in the settings of the project, for everyone who works on it'),
      managed: flag(
        'in the settings of the whole machine, which no repository can override; requires an administrator (claude-code, codex, copilot, windsurf)',
      ),
      'dry-run': flag('show the changes and write nothing'),
      ...more,
      root,
      home,
      'managed-root': MANAGED_ROOT,
    },
  },
  { title: 'Cursor only', options: { ...FOR_CURSOR, ...forCursor } },
  OUTPUT,
]

export const INSTALL_LEVELS = ['user', 'project', 'managed'] as const
export type InstallLevel = (typeof INSTALL_LEVELS)[number]

export interface InstallPlace {
  readonly bridge: Bridge
  readonly level: InstallLevel
  readonly file: string
  /** The folder of the journal, and the mode of the folders that are made for it. */
  readonly journal: string
  readonly journalMode: number
}

export function placeOf(command: string, given: Given, workspace: Workspace): InstallPlace {
  const [name] = given.positionals
  if (name === undefined) throw new UsageError(`${command} needs an agent: ${AGENTS.join(', ')}.`)
  const bridge = findBridge(oneOf('agent', name, AGENTS))!
  const stray = [...Object.keys(FOR_CURSOR), 'from'].find(option => given.has(option))
  if (stray) throw new UsageError(`--${stray} is for Cursor only: holdfast ${command} ${CURSOR}`)
  const levels = INSTALL_LEVELS.filter(level => given.has(level))
  if (levels.length > 1) {
    throw new UsageError(`Give ${levels.map(level => `--${level}`).join(' or ')}, not both.`)
  }
  const [level = 'user'] = levels
  const place = placeAt(bridge, level, workspace)
  if (place) return place
  throw new UsageError(
    `${bridge.title} has no settings of the machine that holdfast can write. Agents that have: ${AGENTS.filter(
      one => findBridge(one)?.config.managed,
    ).join(', ')}.`,
  )
}

/** Undefined if the agent has no such file. */
export function placeAt(bridge: Bridge, level: InstallLevel, workspace: Workspace): InstallPlace | undefined {
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
export const flagOf = ({ level }: Pick<InstallPlace, 'level'>): string =>
  level === 'user' ? '' : ` --${level}`

/** Checked first, because the error of the system does not name the cause. */
export function mustBeWritable(place: InstallPlace, command: string, { screen }: Workspace): void {
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
    throw new UsageError(`${shortPath(nearest, screen)} cannot be written. Nothing was written. ${fix}`)
  }
}

const above = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : above(dirname(folder))
