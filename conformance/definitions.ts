// Hooks of a case → the definitions that an engine would have read from files. No disk is touched.

import { compileMatcher } from '../packages/hooks/src/config/matcher.js'
import { translateClaudeMatcher } from '../packages/hooks/src/discover/claude.js'
import { locations } from '../packages/hooks/src/discover/locations.js'
import { type HookDefinition, SOURCES } from '../packages/hooks/src/protocol/config.js'
import type { EventName } from '../packages/hooks/src/protocol/events.js'
import type { Profile } from '../packages/hooks/src/protocol/profiles.js'
import type { Case, CaseHook } from './case.js'
import type { Places } from './compare.js'
import { eventOf } from './load.js'

/** Folders of the run. */
export const PLACES: Places = {
  enterprise: '/etc/hooks',
  home: '/home/me',
  team: '/home/me/.cursor/managed/team_t1/hooks',
  project: '/roots/one',
  second: '/roots/two',
  plugin: '/plugins/one',
}

export const rootsOf = (one: Case, places: Places): string[] =>
  [places.project!, places.second!].slice(0, one.host?.roots ?? 1)

/** Highest source first; within a source in the order of the case, as in the files. */
export function definitionsOf(one: Case, event: string, profile: Profile): HookDefinition[] {
  return one.hooks
    .map((hook, place) => ({ hook, place }))
    .filter(({ hook }) => eventOf(hook, one) === event)
    .map(({ hook, place }) => definition(hook, place, one, profile))
    .sort((a, b) => a.rank - b.rank || a.root.localeCompare(b.root))
}

export const placeOfId = (id: string): number => Number(id.split('#')[1])

function definition(hook: CaseHook, place: number, one: Case, profile: Profile): HookDefinition {
  const roots = rootsOf(one, PLACES)
  const { rank, dialect, needsTrust } = SOURCES[hook.source]
  const home = sourceOf(hook, roots, profile)
  const event = eventOf(hook, one) as EventName
  const isPrompt = hook.type === 'prompt'
  return {
    id: `${hook.source}#${place}`,
    source: hook.source,
    rank,
    mode: hook.mode ?? 'enforce',
    event,
    type: isPrompt ? 'prompt' : 'command',
    name: hook.prompt ?? hook.command ?? `hook-${place}.sh`,
    ...(isPrompt ? { prompt: hook.prompt! } : { command: hook.command ?? `hook-${place}.sh` }),
    ...(hook.model === undefined ? {} : { model: hook.model }),
    ...(hook.entry as Partial<HookDefinition> | undefined),
    matcher:
      dialect === 'claude' ? translateClaudeMatcher(event, hook.matcher) : compileMatcher(hook.matcher),
    timeoutMs: (hook.timeout ?? (isPrompt ? 30 : 60)) * 1000,
    ...(hook.failClosed === undefined ? {} : { failClosed: hook.failClosed }),
    loopLimit: hook.loop_limit !== undefined ? hook.loop_limit : dialect === 'claude' ? null : 5,
    dialect,
    file: home.file,
    line: 1,
    column: 1,
    path: `hooks.${event}[${place}]`,
    cwd: home.cwd,
    root: home.root ?? roots[0]!,
    ...(home.plugin === undefined ? {} : { plugin: home.plugin }),
    scripts: [],
    covered: [],
    fingerprint: '',
    trusted: !needsTrust || one.host?.trusted !== false,
  }
}

function sourceOf(hook: CaseHook, roots: readonly string[], profile: Profile) {
  const all = locations({
    platform: 'linux',
    home: PLACES.home!,
    enterpriseDir: PLACES.enterprise!,
    roots,
    teamId: 't1',
    teams: [],
    claude: true,
    plugins: [PLACES.plugin!],
    pathBase: profile.config.pathBase,
  })
  return all.filter(({ kind }) => kind === hook.source)[hook.root ?? 0]!
}
