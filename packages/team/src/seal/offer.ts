// The two sides of a decision: what a device is and has, and what it is offered.

import type { OperatingSystem, ReleasePayload, Sealed, TrustPayload } from '@holdfast/hooks/team'
import type { Mark } from './mark.js'

export interface Standing {
  readonly deviceId: string
  readonly system: OperatingSystem
  /** The clock, in milliseconds. */
  readonly now: number
  /** As walked from the pinned fingerprint. */
  readonly trust: TrustPayload
  readonly mark: Mark
  /** The release that the device accepted last; its scripts may be damaged. */
  readonly inForce?: { readonly hash: string; readonly release: ReleasePayload } | undefined
  /** The verified bytes of a script that is already there. */
  readonly scriptOf: (sha256: string) => Uint8Array | undefined
}

export interface Offer {
  /** Not needed where the lease orders hold or kill. */
  readonly release?: Sealed | undefined
  readonly lease?: Sealed | undefined
  readonly scripts: readonly { readonly content: Uint8Array }[]
}
