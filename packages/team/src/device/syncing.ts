// The context of a sync under the lock, and its result.

import type { Enrolment, Place } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import type { Disk } from './disk.js'
import type { Problem } from './problems.js'
import type { State } from './state.js'

export interface Syncing {
  readonly around: Around
  readonly place: Place
  readonly disk: Disk
  readonly enrolment: Enrolment
  readonly signal: AbortSignal | undefined
}

export interface Outcome {
  readonly kind: 'updated' | 'unchanged' | 'refused' | 'failed'
  readonly state: State
  readonly problem?: Problem
  readonly warnings?: readonly Problem[]
  /** Of the offer of the server, accepted or not; none if the server did not respond. */
  readonly etag?: string
  /** From Retry-After. */
  readonly waitMs?: number | undefined
}
