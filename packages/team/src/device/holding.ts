// The current hooks of a team on the disk.

import {
  type Bundle,
  type Enrolment,
  type KeptTrust,
  loadTrust,
  type Place,
  systemOf,
  type Viewer,
} from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { loadState, type State } from './state.js'
import { linkedName, readStore } from './store.js'

export interface Holding {
  readonly trust: KeptTrust
  readonly viewer: Viewer
  readonly bundles: readonly Bundle[]
  readonly state: State
  /** The set that the link points to, if it is complete. */
  readonly inForce: Bundle | undefined
}

export function lookAt(place: Place, { platform }: Pick<Around, 'platform'>, enrolment: Enrolment): Holding {
  const trust = loadTrust(place, enrolment.fingerprint)
  const system = systemOf(platform)
  const viewer = { store: place.store, trust, deviceId: enrolment.device_id, system, platform }
  const bundles = readStore(viewer)
  const linked = linkedName(place)
  const inForce = bundles.find(({ name, whole }) => whole && name === linked)
  return { trust, viewer, bundles, state: loadState(place, bundles, trust), inForce }
}
