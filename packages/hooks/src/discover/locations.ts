// Where hooks may be: one row per source and operating system. `locations` is pure, so that the rows of every system can be
// tested on any other.

import { readdirSync } from 'node:fs'
import { posix, resolve, win32 } from 'node:path'
import { realPath, reasonOf } from '../config/file.js'
import { type Catalog, SOURCES, type Source, type SourceKind } from '../protocol/config.js'
import { managedFolder } from '../team/place.js'
import { isTeamId } from '../team/shape.js'
import type { TrustStore } from './trust.js'

export interface DiscoverOptions {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** Overrides the folder of the enterprise source. */
  readonly enterpriseDir?: string
  /** Workspace roots. A root that is given twice, also through a link, counts once. */
  readonly roots: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** (default: every managed folder) */
  readonly teamId?: string
  /** Whether Claude settings are read, too. */
  readonly claude: boolean
  readonly plugins: readonly string[]
  /** Sources without which permission events are denied. */
  readonly required: readonly SourceKind[]
  /** Whether each hooks.json that exists must be intact, too. */
  readonly requireIntact?: boolean
  /** Whether project hooks run from the root, or from the folder of hooks.json. */
  readonly pathBase: 'root' | 'file'
  /** Profile: a file that is deleted while running keeps its hooks. */
  readonly keepDeleted?: boolean
  /** Whether managed folders without an enrolment and a signature are used. */
  readonly trustUnsignedTeams?: boolean
  readonly trust: TrustStore
  readonly trustAll: boolean
  /** Hooks that are not fully covered do not run, trusted or not. */
  readonly fullCoverage?: boolean
}

export type LocationOptions = Pick<
  DiscoverOptions,
  'platform' | 'home' | 'enterpriseDir' | 'roots' | 'teamId' | 'claude' | 'plugins' | 'pathBase'
> & {
  /** The ids of the managed folders that exist. */
  readonly teams: readonly string[]
}

const ENTERPRISE: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/Cursor',
  win32: 'C:\\ProgramData\\Cursor',
}
const ENTERPRISE_ELSEWHERE = '/etc/cursor'

export function locations(options: LocationOptions): Source[] {
  const { home, platform, roots } = options
  const { join } = platform === 'win32' ? win32 : posix
  const enterprise = options.enterpriseDir ?? ENTERPRISE[platform] ?? ENTERPRISE_ELSEWHERE
  const teams = (options.teamId === undefined ? options.teams : [options.teamId]).filter(isTeamId)
  const sources: Source[] = [
    { kind: 'enterprise', file: join(enterprise, 'hooks.json'), cwd: enterprise, format: 'hooks' },
    { kind: 'user', file: join(home, '.cursor', 'hooks.json'), cwd: join(home, '.cursor'), format: 'hooks' },
  ]
  for (const id of teams) {
    const cwd = join(managedFolder(home, platform), `team_${id}`, 'hooks')
    sources.push({ kind: 'team', file: join(cwd, 'manifest.json'), cwd, format: 'manifest' })
  }
  for (const root of roots) {
    const cwd = options.pathBase === 'root' ? root : join(root, '.cursor')
    sources.push({ kind: 'project', file: join(root, '.cursor', 'hooks.json'), cwd, root, format: 'hooks' })
  }
  for (const plugin of options.plugins) {
    const file = join(plugin, '.cursor-plugin', 'plugin.json')
    sources.push({ kind: 'plugin', file, cwd: plugin, plugin, format: 'plugin' })
  }
  if (options.claude) {
    const settings = (folder: string, name: string) => join(folder, '.claude', name)
    for (const root of roots) {
      const own = { cwd: root, root, format: 'claude' } as const
      sources.push({ kind: 'claude-local', file: settings(root, 'settings.local.json'), ...own })
      sources.push({ kind: 'claude-project', file: settings(root, 'settings.json'), ...own })
    }
    const file = settings(home, 'settings.json')
    sources.push({ kind: 'claude-user', file, cwd: roots[0] ?? home, format: 'claude' })
  }
  // If the home folder is open as a workspace, its files belong to the user and not to a second project.
  const users = new Set(sources.filter(({ kind }) => kind.endsWith('user')).map(({ file }) => file))
  const isSecond = ({ kind, file }: Source) => kind.endsWith('project') && users.has(file)
  // Sorting is stable: within a rank the order of the roots stays.
  return sources
    .filter(source => !isSecond(source))
    .sort((a, b) => SOURCES[a.kind].rank - SOURCES[b.kind].rank)
}

/** Absolute folders, each once. The first name of a folder stays. */
export function normalise(options: DiscoverOptions): DiscoverOptions {
  return { ...options, roots: distinct(options.roots), plugins: distinct(options.plugins) }
}

function distinct(folders: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const folder of folders) {
    const path = resolve(folder)
    const real = realPath(path)
    if (!seen.has(real)) seen.set(real, path)
  }
  return [...seen.values()]
}

export interface Teams {
  readonly ids: readonly string[]
  /** Why the managed folder could not be listed. */
  readonly problem?: string
}

/** If the folder cannot be listed, the teams of the previous catalog stay. */
export function findTeams({ teamId, home, platform }: DiscoverOptions, previous?: Catalog): Teams {
  if (teamId !== undefined) return { ids: [teamId] }
  try {
    const ids = readdirSync(managedFolder(home, platform)).flatMap(idOf)
    return { ids: [...new Set(ids)].sort() }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ids: [] }
    const layers = previous?.layers.filter(({ source }) => source.kind === 'team') ?? []
    const ids = layers.flatMap(({ source }) => idOf(TEAM_FOLDER.exec(source.file)?.[1] ?? ''))
    return { ids, problem: reasonOf(error) }
  }
}

const TEAM_FOLDER = /[\\/]([^\\/]+)[\\/]hooks[\\/]manifest\.json$/

/** Of the folder of a team, or of the file that stays if that folder is removed. */
const idOf = (name: string): string[] => {
  const id = /^(?:team|enrolled)_(.*)$/.exec(name)?.[1]
  return id !== undefined && isTeamId(id) ? [id] : []
}
