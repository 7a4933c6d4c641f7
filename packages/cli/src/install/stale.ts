// What an installation must have for the hooks of this workspace, and which installations lack some of it.

import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Hooks } from '@holdfast/hooks'
import { BRIDGES, type Bridge, type BridgeSettings, neededEvents } from '@holdfast/hooks/bridges'
import { findEvent, type Layer, type SourceKind } from '@holdfast/hooks/protocol'
import { CLIENT_NAME } from '../daemon/client.js'
import { fileAt, targetOf, textOf } from '../edit/change.js'
import type { NewEntry } from '../init/hooks-file.js'
import type { Workspace } from '../workspace.js'
import { commandsIn, entriesFor, entriesIn } from './entries.js'
import { activeSwitches } from './off-switches.js'
import { flagOf, INSTALL_LEVELS, type InstallLevel, type InstallPlace, placeAt } from './place.js'

/** Sources that every user of the entries has. Your own hooks.json must not block a colleague. */
const OWN: Readonly<Record<InstallLevel, readonly SourceKind[]>> = {
  user: ['enterprise', 'team', 'user'],
  project: ['project'],
  managed: ['enterprise'],
}

/** The sources with hooks that can deny. A source that cannot be loaded may have some. */
export const requiredSources = (level: InstallLevel, hooks: Pick<Hooks, 'catalog'>): SourceKind[] => {
  const gated = hooks.catalog().layers.filter(hasGate)
  return OWN[level].filter(kind => gated.some(layer => layer.source.kind === kind))
}

const hasGate = ({ state, hooks }: Layer): boolean =>
  state === 'failed' ||
  hooks.some(({ event, mode, trusted }) => mode !== 'observe' && trusted && findEvent(event)!.gate !== 'none')

export const requiredIn = (entries: readonly NewEntry[]): string[] => [
  ...new Set(
    entries
      .flatMap(({ entry }) => commandsIn(entry))
      .flatMap(command => / --required (\S+)/.exec(command)?.[1]?.split(',') ?? []),
  ),
]

export interface Installed {
  readonly place: InstallPlace
  readonly entries: readonly NewEntry[]
}

/** The installations that this workspace uses. A file that cannot be read has none. */
export const installations = (workspace: Workspace, bridges: readonly Bridge[] = BRIDGES): Installed[] =>
  bridges.flatMap(bridge => places(bridge, workspace).flatMap(place => installedAt(place) ?? []))

function places(bridge: Bridge, workspace: Workspace): InstallPlace[] {
  const roots = workspace.roots.filter(root => root !== workspace.home)
  return INSTALL_LEVELS.flatMap(level =>
    level === 'project'
      ? roots.map(root => placeAt(bridge, level, { ...workspace, roots: [root] })!)
      : (placeAt(bridge, level, workspace) ?? []),
  )
}

function installedAt(place: InstallPlace): Installed | undefined {
  try {
    const path = targetOf(place.file)
    const there = fileAt(path)
    const entries = there ? entriesIn(path, textOf(there, path), place.bridge) : []
    return entries.length > 0 ? { place, entries } : undefined
  } catch {
    return undefined
  }
}

/** How the settings of the agent call the bridge. */
export function settingsOf(bridge: Bridge, workspace: Workspace): BridgeSettings {
  const installed = installations(workspace, [bridge])
  const places = INSTALL_LEVELS.flatMap(level => placeAt(bridge, level, workspace) ?? [])
  const active = places.flatMap(place => activeSwitches(place, workspace))
  return {
    entries: JSON.stringify(installed.map(({ place, entries }) => [place.file, entries])),
    turnedOffBy: [...new Set(active.map(({ offSwitch, file }) => `${offSwitch.name} in ${file}`))],
  }
}

export interface Stale {
  readonly place: InstallPlace
  /** What the installation lacks, for the user. */
  readonly message: string
  readonly fix: string
}

/** The installations that lack an entry or an option, for hooks that were added or because an older version wrote them. */
export const staleInstalls = (
  workspace: Workspace,
  hooks: Pick<Hooks, 'catalog' | 'has'>,
  installed: readonly Installed[] = installations(workspace),
): Stale[] =>
  installed.flatMap(({ place, entries }) => {
    const { bridge, level } = place
    const events = neededEvents(bridge, event => hooks.has(event))
    const absent = events.filter(event => !entries.some(one => one.event === event))
    const required = requiredIn(entries)
    const missing = requiredSources(level, hooks).filter(kind => !required.includes(kind))
    const expected = entriesFor(bridge, {
      program: ['holdfast'],
      events: Object.keys(bridge.names.events).filter(event => entries.some(one => one.event === event)),
      required: [],
      isShared: level === 'project',
    })
    const old = expected.filter(
      ({ event, entry }) =>
        !entries.some(one => one.event === event && isDeepStrictEqual(plain(one.entry), plain(entry))),
    )
    const lost = lostClient(entries)
    const parts = [
      lost === undefined ? null : `each tool call is blocked, because ${lost} is not there`,
      absent.length > 0 ? `no entry for ${absent.join(', ')}` : null,
      missing.length > 0
        ? `tool calls proceed if the hooks.json of ${missing.join(' or ')} breaks (--required)`
        : null,
      old.length > 0 ? `outdated entry for ${old.map(({ event }) => event).join(', ')}` : null,
    ].filter(part => part !== null)
    const fix = `Run: holdfast install ${bridge.name}${flagOf(place)}`
    return parts.length > 0 ? [{ place, message: parts.join('; '), fix }] : []
  })

/** The native client that the entries call, if it was removed. */
const lostClient = (entries: readonly NewEntry[]): string | undefined =>
  entries
    .flatMap(({ entry }) => commandsIn(entry))
    .map(command => /^(?:'([^']+)'|(\S+)) /.exec(command))
    .map(match => match?.[1] ?? match?.[2] ?? '')
    .find(program => basename(program) === CLIENT_NAME && !existsSync(program))

/** Without the program and the required sources, which differ between machines. */
const plain = (entry: unknown): unknown =>
  JSON.parse(
    JSON.stringify(entry, (_, value) =>
      typeof value === 'string' ? value.replace(/^.*? bridge /, '').replace(/ --required \S+/, '') : value,
    ),
  )
