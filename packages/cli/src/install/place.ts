// Which file of an agent is meant: the person's own, or the project's.

import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { BRIDGES, type Bridge, findBridge } from '@holdfast/hooks/bridges'
import { Complaint } from '../complaint.js'
import { type LevelName, levelOf } from '../init/level.js'
import { type Given, known, noMore, OUTPUT } from '../options.js'
import type { Workspace } from '../workspace.js'

export const OPTIONS = {
  project: 'flag',
  user: 'flag',
  'dry-run': 'flag',
  root: 'value',
  home: 'value',
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

export interface Place {
  readonly bridge: Bridge
  readonly level: LevelName
  /** What the work is done for, and undone for. */
  readonly folder: string
  readonly file: string
}

export function placeOf(command: string, given: Given, workspace: Workspace): Place {
  const [name] = given.positionals
  const names = [...BRIDGES.map(bridge => bridge.name), CURSOR]
  if (name === undefined) throw new Complaint(`${command} needs an agent: ${names.join(', ')}.`)
  noMore(command, given.positionals, 1)
  const bridge = findBridge(known('agent', name, names))!
  const stray = FOR_CURSOR.find(option => given.has(option))
  if (stray) throw new Complaint(`--${stray} is for Cursor only: holdfast ${command} ${CURSOR}`)
  if (given.has('project') && given.has('user')) throw new Complaint('Give --project or --user, not both.')
  const level = given.has('project') ? 'project' : 'user'
  return placeAt(bridge, level, workspace)
}

export function placeAt(bridge: Bridge, level: LevelName, workspace: Workspace): Place {
  const folder = level === 'user' ? workspace.home : levelOf('project', workspace).folder
  return { bridge, level, folder, file: fileOf(bridge, level, folder) }
}

/** Somebody's own folder for the agent counts for their own home only. */
function fileOf({ config }: Bridge, level: LevelName, folder: string): string {
  const other = process.env[config.folderVariable ?? '']
  const isMeant = level === 'user' && folder === homedir() && other && isAbsolute(other)
  return isMeant ? join(other, basename(config.files.user)) : join(folder, config.files[level])
}
