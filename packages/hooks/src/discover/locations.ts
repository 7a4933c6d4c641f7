// Where hooks may be, as a table: one row per source and operating system. Pure, so that every system's rows
// can be tested on any other.

import { posix, win32 } from 'node:path'
import { SOURCES, type Source } from '../protocol/config.js'
import type { DiscoverOptions } from './options.js'

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

export const pathOf = (platform: NodeJS.Platform) => (platform === 'win32' ? win32 : posix)

/** An id becomes part of a path; anything that could leave the managed folder is no id. */
const TEAM_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
export const isTeamId = (id: string): boolean => TEAM_ID.test(id)

export const managedFolder = (options: Pick<DiscoverOptions, 'platform' | 'home'>): string =>
  pathOf(options.platform).join(options.home, '.cursor', 'managed')

export function locations(options: LocationOptions): Source[] {
  const { home, roots } = options
  const { join } = pathOf(options.platform)
  const enterprise = options.enterpriseDir ?? ENTERPRISE[options.platform] ?? ENTERPRISE_ELSEWHERE
  const teams = (options.teamId === undefined ? options.teams : [options.teamId]).filter(isTeamId)
  const userHooks = join(home, '.cursor', 'hooks.json')
  const userSettings = join(home, '.claude', 'settings.json')

  const sources: Source[] = [
    { kind: 'enterprise', file: join(enterprise, 'hooks.json'), cwd: enterprise, format: 'hooks' },
    ...teams.map((id): Source => {
      const cwd = join(managedFolder(options), `team_${id}`, 'hooks')
      return { kind: 'team', file: join(cwd, 'manifest.json'), cwd, format: 'manifest' }
    }),
    ...roots.map((root): Source => {
      const cwd = options.pathBase === 'root' ? root : join(root, '.cursor')
      return { kind: 'project', file: join(root, '.cursor', 'hooks.json'), cwd, root, format: 'hooks' }
    }),
    { kind: 'user', file: userHooks, cwd: join(home, '.cursor'), format: 'hooks' },
    ...options.plugins.map(
      (plugin): Source => ({
        kind: 'plugin',
        file: join(plugin, '.cursor-plugin', 'plugin.json'),
        cwd: plugin,
        plugin,
        format: 'plugin',
      }),
    ),
  ]
  if (options.claude) {
    for (const root of roots) {
      const folder = join(root, '.claude')
      sources.push(
        {
          kind: 'claude-local',
          file: join(folder, 'settings.local.json'),
          cwd: root,
          root,
          format: 'claude',
        },
        { kind: 'claude-project', file: join(folder, 'settings.json'), cwd: root, root, format: 'claude' },
      )
    }
    sources.push({ kind: 'claude-user', file: userSettings, cwd: roots[0] ?? home, format: 'claude' })
  }
  return sources.filter(source => !isUsersOwn(source, userHooks, userSettings)).sort(byRank)
}

/** When the home folder itself is open as a workspace, its files are the person's, not a second project. */
const isUsersOwn = (source: Source, userHooks: string, userSettings: string) =>
  (source.kind === 'project' && source.file === userHooks) ||
  (source.kind === 'claude-project' && source.file === userSettings)

/** Sorting is stable: within a rank the order of the roots stays. */
const byRank = (a: Source, b: Source) => SOURCES[a.kind].rank - SOURCES[b.kind].rank
