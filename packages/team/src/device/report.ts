// The status of this device for administrators. Sent when it changes, and when there is a problem.

import { sha256 } from '@holdfast/hooks/team'
import { DeviceService } from '../gen/holdfast/team/v1/device_pb.js'
import type { Holding } from './holding.js'
import { countQueued } from './queue.js'
import { call } from './rpc.js'
import type { State } from './state.js'
import type { Syncing } from './syncing.js'

export type DeviceState = 'in_sync' | 'stale' | 'killed' | 'no_bundle'

/** Stale: the lease of the server has expired. */
export function deviceStateOf(
  { inForce }: Pick<Holding, 'inForce'>,
  { leased, mark }: State,
  now: number,
): DeviceState {
  if (!inForce) return 'no_bundle'
  if (inForce.killed) return 'killed'
  return leased && Math.max(now, mark.time) <= Date.parse(leased.until) ? 'in_sync' : 'stale'
}

/** The state afterwards: a reported status is not reported again. */
export async function report(syncing: Syncing, holding: Holding, state: State): Promise<State> {
  const { around, enrolment, place, signal } = syncing
  const release = holding.inForce?.release
  const problems = [...(state.problem ? [state.problem] : []), ...state.warnings]
  const facts = {
    facts: around.facts,
    release: int32(release?.payload.release ?? 0),
    releaseHash: release?.hash ?? '',
    trustVersion: holding.trust.trust?.version ?? 0,
    state: deviceStateOf(holding, state, around.now()),
  }
  const told = sha256(
    Buffer.from(JSON.stringify([facts, problems.map(({ code, message }) => [code, message])])),
  )
  if (told === state.told) return state
  const message = { ...facts, problems: problems.map(one => ({ ...one })), queued: countQueued(place.queue) }
  try {
    await call(around, enrolment, DeviceService.method.report, message, { signal })
    return { ...state, told }
  } catch {
    // The next sync reports it.
    return state
  }
}

/** A stolen key may have signed a release number beyond the range of the field. */
const int32 = (value: number): number => Math.min(value, 2 ** 31 - 1)
