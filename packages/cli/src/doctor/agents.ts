// Agents whose settings call these hooks: whether every entry is there, and whether the agent runs it.

import { BRIDGES, type Bridge } from '@holdfast/hooks/bridges'
import { fileAt, targetOf, textOf } from '../edit/change.js'
import type { LevelName } from '../init/level.js'
import { eventsCalled } from '../install/entries.js'
import { type Place, placeAt } from '../install/place.js'
import { count } from '../print/words.js'
import type { Workspace } from '../workspace.js'
import { askCodex } from './codex.js'

export interface Connected {
  readonly bridge: Bridge
  readonly level: LevelName
  readonly file: string
  /** unknown: only the agent knows, and the query failed. */
  readonly state: 'well' | 'trouble' | 'unknown'
  readonly message: string
  readonly fix: string | null
}

/** The state of the entries of an agent. */
export type AgentState = Pick<Connected, 'state' | 'message' | 'fix'>

/** Agents that skip entries without a message, with their queries. */
const ASK: Readonly<Partial<Record<string, typeof askCodex>>> = { codex: askCodex }

export async function connectedAgents(
  workspace: Workspace,
  { runs, signal }: { readonly runs: boolean; readonly signal: AbortSignal },
): Promise<Connected[]> {
  const found: Connected[] = []
  for (const place of places(workspace)) {
    const { bridge, level, file } = place
    const events = calledIn(place)
    if (!events) continue
    const absent = Object.keys(bridge.names.events).filter(event => !events.includes(event))
    const well: AgentState = { state: 'well', message: count(events.length, 'event'), fix: null }
    const root = workspace.roots[0]!
    const ask = ASK[bridge.name]
    const agent =
      absent.length > 0
        ? incomplete(place, absent)
        : ask
          ? await ask(place, events, root, runs ? signal : null)
          : well
    found.push({ bridge, level, file, ...agent })
  }
  return found
}

function places(workspace: Workspace): Place[] {
  const roots = workspace.roots.filter(root => root !== workspace.home)
  return BRIDGES.flatMap(bridge => [
    placeAt(bridge, 'user', workspace),
    ...roots.map(root => placeAt(bridge, 'project', { ...workspace, roots: [root] })),
  ])
}

/** Undefined when it has no entries of ours, or cannot be read. */
function calledIn({ bridge, file }: Place): string[] | undefined {
  try {
    const path = targetOf(file)
    const there = fileAt(path)
    const events = there ? eventsCalled(textOf(there, path), bridge) : []
    return events.length > 0 ? events : undefined
  } catch {
    return undefined
  }
}

const incomplete = ({ bridge, level }: Place, absent: readonly string[]): AgentState => ({
  state: 'trouble',
  message: `no entry for ${absent.join(', ')}`,
  fix: `Run: holdfast install ${bridge.name}${level === 'project' ? ' --project' : ''}`,
})
