// The status of a team on this machine, without a network request.

import { type Enrolment, folderProblem, placeOf, type ReleasePayload } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { findEnrolment } from './enrolment.js'
import { type Expiring, expiringOf } from './expiry.js'
import { type Holding, lookAt } from './holding.js'
import { type Problem, problemAt } from './problems.js'
import { countQueued } from './queue.js'
import { type DeviceState, deviceStateOf } from './report.js'
import { type State, withWarnings } from './state.js'
import { type InForce, inForceOf } from './sync.js'

export interface TeamStatus {
  /** Without the token. */
  readonly enrolment: Omit<Enrolment, 'token'>
  readonly state: DeviceState
  readonly inForce: InForce | undefined
  /** The active release, in full. */
  readonly release: ReleasePayload | undefined
  readonly trustVersion: number
  readonly ring: string
  readonly syncedAt: string | null
  /** The end of the current lease. */
  readonly leasedUntil: string | null
  /** The last head of the audit log that this machine received. */
  readonly head: State['head']
  /** Parts that should have been renewed by now. */
  readonly expiring: readonly Expiring[]
  readonly problem: Problem | null
  /** What a sync noticed in the last day and did not stop for, such as files that it restored. */
  readonly warnings: readonly Problem[]
  readonly queued: number
  /** The folder of the active hooks. */
  readonly folder: string
}

export function readStatus(around: Around, teamId: string): TeamStatus | undefined {
  const place = placeOf(around.home, teamId)
  const found = findEnrolment(around.home, teamId)
  if (!found) return undefined
  const { token: _, ...enrolment } = found
  const holding = lookAt(place, around, found)
  const { inForce, trust, state } = holding
  const changed = folderProblem(place) ?? setProblem(holding)
  const release = inForce && !inForce.killed ? inForce.release?.payload : undefined
  return {
    enrolment,
    state: deviceStateOf(holding, state, around.now()),
    inForce: inForce && inForceOf(inForce),
    release,
    trustVersion: trust.trust?.version ?? 0,
    ring: state.leased?.ring ?? '',
    syncedAt: state.synced_at,
    leasedUntil: state.leased?.until ?? null,
    head: state.head,
    expiring: expiringOf(found, state.leased?.until ?? null, release, around.now()),
    problem: changed ? problemAt(around, 'tampered', changed) : state.problem,
    warnings: withWarnings(state, [], around.now()).warnings,
    queued: countQueued(place.queue),
    folder: place.hooks,
  }
}

/** Whether another program changed the active set: the engine does not run what the team did not sign. */
const setProblem = ({ inForce, state }: Holding): string | undefined =>
  state.current === '' || inForce?.name === state.current || state.switching
    ? undefined
    : `The set ${state.current} is not what the team signed, or is not the active one.`
