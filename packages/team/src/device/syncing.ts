// What a sync under the lock works with, and how it ends.

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
  /** Of the offer of the server, whether it was accepted or not; none when the server did not answer. */
  readonly etag?: string
  /** From Retry-After. */
  readonly waitMs?: number | undefined
}
