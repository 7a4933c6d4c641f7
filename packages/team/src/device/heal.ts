// Restores what a crash between state and link, or another program, has changed: the link, the manifest, and scripts of
// which the store has another copy. It needs no network.

import { type Bundle, type Enrolment, isFor, type Place } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import type { Disk } from './disk.js'
import { type Holding, lookAt } from './holding.js'
import { killedFiles, setFiles, setName } from './set.js'
import { saveState } from './state.js'
import { findScript, storeSet, switchTo } from './store.js'

export function heal(place: Place, around: Around, disk: Disk, enrolment: Enrolment): Holding {
  const holding = lookAt(place, around, enrolment)
  const { state, bundles, inForce } = holding
  // Without the trust chain no set counts as signed, so nothing is changed; the server sends the chain again.
  const current = bundles.find(({ name }) => name === state.current)
  const wanted = current && isSealed(current) ? current : undefined
  if (inForce && (!wanted || inForce === wanted)) return holding
  const best = wanted ?? highest(bundles)
  const name = best && (best.whole ? best.name : healOne(best, holding, place, around, disk))
  if (!best || !name) return holding
  if (name !== state.current) saveState(place, disk, { ...state, current: name })
  switchTo(place, disk, name)
  return lookAt(place, around, enrolment)
}

const isSealed = ({ killed, release, lease }: Bundle) =>
  killed ? lease?.payload.order === 'kill' : release !== undefined

const highest = (bundles: readonly Bundle[]): Bundle | undefined =>
  bundles
    .filter(bundle => !bundle.killed && bundle.release)
    .sort((a, b) => {
      const [one, other] = [a.release!.payload, b.release!.payload]
      return other.epoch - one.epoch || other.release - one.release || Number(b.whole) - Number(a.whole)
    })[0]

/** The release is signed and something else was changed: written again, if all of its scripts can still be found. */
function healOne(
  { name, killed, release, lease }: Bundle,
  { viewer, bundles }: Holding,
  place: Place,
  { unique }: Around,
  disk: Disk,
): string | undefined {
  const seals = { release: release?.envelope, lease: lease?.envelope }
  if (killed) {
    if (!lease) return undefined
    const files = killedFiles(lease.payload.team_id, lease.payload.release, seals)
    return storeSet(place, disk, name, files, unique())
  }
  if (!release) return undefined
  const scripts = new Map<string, Uint8Array>()
  for (const hook of release.payload.hooks) {
    if (hook.script_name === undefined || !isFor(hook, viewer.system)) continue
    const bytes = findScript(bundles, viewer, hook.sha256 ?? '')
    if (!bytes) return undefined
    scripts.set(hook.script_name, bytes)
  }
  const files = setFiles(release.payload, viewer.system, scripts, seals)
  return storeSet(place, disk, setName(release.payload.release, release.hash), files, unique())
}
