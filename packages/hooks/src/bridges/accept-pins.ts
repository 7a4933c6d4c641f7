// `holdfast trust` accepts changed gates for the sessions that pinned them. Only the user can run it: agents are asked
// before they run it, and before they write states.

import { join } from 'node:path'
import { listFolder } from '../config/file.js'
import { rewrite } from '../lock.js'
import type { Catalog } from '../protocol/config.js'
import { type ConversationState, readState } from './conversation-state.js'
import { comparePins, type LostPin, type Pins, withCurrent } from './pins.js'

export interface ChangedGuards {
  /** Each once, of all sessions that have not ended. */
  readonly lost: readonly LostPin[]
  /** The number of these sessions. */
  readonly sessions: number
  /** Replaces the pins by the gates that were shown and those that are trusted since then. */
  accept(catalog: Catalog): Promise<void>
}

/** Compares the pins of all sessions with the catalog. `folder` has a folder for each agent. */
export async function findChangedGuards(
  folder: string,
  catalog: Catalog,
  home: string,
): Promise<ChangedGuards> {
  const shown = await withCurrent({}, catalog, home)
  const changed: { readonly file: string; readonly lost: readonly LostPin[]; readonly ended: boolean }[] = []
  for (const file of stateFiles(folder)) {
    const state = readIfPossible(file)
    if (!state) continue
    const { lost } = await comparePins(state.pins, catalog)
    const own = lost.filter(({ pin }) => isShown(pin, catalog))
    if (own.length > 0) changed.push({ file, lost: own, ended: state.ended })
  }
  const running = changed.filter(({ ended }) => !ended)
  const all = running.flatMap(({ lost }) => lost)
  const text = ({ key, reason }: LostPin) => `${key}\n${reason}`
  return {
    lost: [...new Map(all.map(one => [text(one), one])).values()],
    sessions: running.length,
    async accept(after) {
      const current = await withCurrent(shown, after, home)
      for (const { file, lost } of changed) await acceptIn(file, lost, current)
    },
  }
}

async function acceptIn(file: string, lost: readonly LostPin[], current: Pins): Promise<void> {
  const keys = new Set(lost.map(({ key }) => key))
  const files = new Set(lost.map(({ pin }) => pin.file))
  await rewrite(file, () => {
    const state = readState(file)
    if (!state) throw new Error(`${file} was removed`)
    const kept = Object.entries(state.pins).filter(([key]) => !keys.has(key))
    const replaced = Object.entries(current).filter(([, pin]) => files.has(pin.file))
    const pins = Object.fromEntries([...kept, ...replaced])
    return JSON.stringify({ ...state, pins, lost: state.lost.filter(key => !keys.has(key)) })
  })
}

const stateFiles = (folder: string): string[] =>
  listFolder(folder).flatMap(agent =>
    listFolder(join(folder, agent))
      .filter(name => name.endsWith('.json'))
      .map(name => join(folder, agent, name)),
  )

/** A state that cannot be read stays so: its session must end. */
function readIfPossible(file: string): ConversationState | undefined {
  try {
    return readState(file)
  } catch {
    return undefined
  }
}

/** The hooks of another project, and those of a file that cannot be loaded, are not shown, so they are not accepted. */
function isShown({ source, file }: LostPin['pin'], { layers }: Catalog): boolean {
  const layer = layers.find(one => one.source.file === file)
  return layer ? layer.state !== 'failed' : source === 'team'
}
