// Makes an accepted offer the active set: written, marked, linked, in this order.

import { killedName, type Place, sha256 } from '@holdfast/hooks/team'
import type { Accepted } from '../signing/accept.js'
import type { Around } from './around.js'
import type { Disk } from './disk.js'
import type { Holding } from './holding.js'
import { killedFiles, type Seals, setFiles, setName } from './set.js'
import { type State, saveState } from './state.js'
import { linkedName, storeSet, switchTo } from './store.js'

export interface Taking {
  readonly place: Place
  readonly around: Around
  readonly disk: Disk
  readonly holding: Holding
  readonly accepted: Accepted
  readonly seals: Seals
  /** The new state, apart from mark and sets. */
  readonly state: State
}

/** Returns the saved state, and whether another set is active now. */
export function takeOffer(taking: Taking): { state: State; changed: boolean } {
  const { place, disk, holding, accepted } = taking
  const before = holding.inForce
  const name = accepted.order === 'hold' ? before?.name : (setInForce(taking) ?? storeAccepted(taking))
  const changed = name !== undefined && name !== before?.name
  const linked = linkedName(place)
  const state: State = {
    ...taking.state,
    mark: accepted.mark,
    ...(accepted.release
      ? { accepted: { hash: accepted.release.hash, may_revert_to: accepted.release.payload.may_revert_to } }
      : {}),
    current: name ?? '',
    previous: changed ? (linked ?? '') : taking.state.previous,
  }
  saveState(place, disk, changed ? { ...state, switching: true } : state)
  if (changed) switchTo(place, disk, name)
  return { state, changed }
}

/** The set of the offer, if it is in the store already. */
function setInForce({ holding: { bundles, inForce }, accepted }: Taking): string | undefined {
  if (accepted.order === 'kill') return inForce?.killed ? inForce.name : undefined
  const isIt = (bundle: (typeof bundles)[number]) =>
    bundle.whole && !bundle.killed && bundle.release?.hash === accepted.release?.hash
  return (inForce && isIt(inForce) ? inForce : bundles.find(isIt))?.name
}

function storeAccepted({ place, around, disk, holding, accepted, seals }: Taking): string {
  const { lease, release, scripts } = accepted
  if (!release) {
    const kept = { lease: seals.lease, release: holding.inForce?.release?.envelope }
    const files = killedFiles(lease.team_id, lease.release, kept)
    return storeSet(place, disk, killedName(sha256(seals.lease!.payload)), files, around.unique())
  }
  const files = setFiles(release.payload, holding.viewer.system, scripts, seals)
  return storeSet(place, disk, setName(release.payload.release, release.hash), files, around.unique())
}
