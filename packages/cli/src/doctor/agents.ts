// Agents whose settings call these hooks: whether every entry is there, and whether the agent runs it.

import type { Hooks } from '@holdfast/hooks'
import { BRIDGE_LIMIT_SECONDS, type Bridge, noteOnEvidence } from '@holdfast/hooks/bridges'
import { activeSwitches, switchesFor } from '../install/off-switches.js'
import type { InstallLevel, InstallPlace } from '../install/place.js'
import { type Installed, installations, staleInstalls } from '../install/stale.js'
import { shortPath } from '../print/place.js'
import { count } from '../print/words.js'
import type { Workspace } from '../workspace.js'
import { askCodex } from './codex.js'

export interface Connected {
  readonly bridge: Bridge
  readonly level: InstallLevel
  readonly file: string
  /** unknown: only the agent knows, and the query failed. */
  readonly state: 'well' | 'trouble' | 'unknown'
  readonly message: string
  readonly fix: string | null
  /** What the agent cannot guarantee for this installation. */
  readonly notes: readonly string[]
}

/** The state of the entries of an agent. */
export type AgentState = Pick<Connected, 'state' | 'message' | 'fix'>

/** Agents that skip entries without a message, with their queries. */
const ASK: Readonly<Partial<Record<string, typeof askCodex>>> = { codex: askCodex }

export async function connectedAgents(
  workspace: Workspace,
  { hooks, runs, signal }: { readonly hooks: Hooks; readonly runs: boolean; readonly signal: AbortSignal },
): Promise<Connected[]> {
  const found: Connected[] = []
  for (const installed of installations(workspace)) {
    const { bridge, level, file } = installed.place
    const state = await stateOf(installed, workspace, hooks, runs ? signal : null)
    found.push({ bridge, level, file, ...state, notes: notesOn(installed.place) })
  }
  return found
}

async function stateOf(
  installed: Installed,
  workspace: Workspace,
  hooks: Hooks,
  signal: AbortSignal | null,
): Promise<AgentState> {
  const { place, entries } = installed
  const [active] = activeSwitches(place, workspace)
  if (active) {
    const { name, effect } = active.offSwitch
    const where = shortPath(active.file, workspace.screen)
    return { state: 'trouble', message: `turned off by ${name} in ${where}`, fix: `Remove it. ${effect}` }
  }
  const [stale] = staleInstalls(workspace, hooks, [installed])
  if (stale) return { state: 'trouble', message: stale.message, fix: stale.fix }
  const events = [...new Set(entries.map(({ event }) => event))]
  const ask = ASK[place.bridge.name]
  return ask && place.level !== 'managed'
    ? ask(place, events, workspace.roots[0]!, signal)
    : { state: 'well', message: count(events.length, 'event'), fix: null }
}

function notesOn(place: InstallPlace): string[] {
  const { title, config } = place.bridge
  const { blocksTimeoutsSince, managed } = config
  const all = switchesFor(place)
  const namesOf = (alsoManaged: boolean) =>
    all.filter(one => (one.alsoManaged ?? false) === alsoManaged).map(({ name }) => name)
  const safer = managed ? '; entries of install --managed stay' : ''
  const { limitSeconds = BRIDGE_LIMIT_SECONDS } = config
  return [
    noteOnEvidence(place.bridge),
    blocksTimeoutsSince === undefined
      ? `${title} proceeds if it ends a hook after its time limit. Hooks must decide within ${limitSeconds} s.`
      : `Before version ${blocksTimeoutsSince}, ${title} proceeds if it ends a hook after its time limit.`,
    ...listed(namesOf(false), safer),
    ...listed(namesOf(true), managed ? ', also entries of install --managed' : ''),
  ].filter(note => note !== null)
}

const listed = (names: readonly string[], end: string): string[] =>
  names.length > 0 ? [`Turned off by: ${names.join(', ')}${end}.`] : []
