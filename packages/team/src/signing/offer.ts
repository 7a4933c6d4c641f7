// The input of a check: the state of a device, and the offer.

import type { Envelope, OperatingSystem, ReleasePayload, TrustPayload } from '@holdfast/hooks/team'
import type { Mark } from './mark.js'

export interface Standing {
  readonly deviceId: string
  readonly system: OperatingSystem
  /** The clock, in milliseconds. */
  readonly now: number
  /** From the pinned fingerprint. */
  readonly trust: TrustPayload
  readonly mark: Mark
  /** The release that the device accepted last; its files may be damaged. */
  readonly inForce?:
    | { readonly hash: string; readonly release: Pick<ReleasePayload, 'may_revert_to'> }
    | undefined
  /** The verified bytes of a script that is already there. */
  readonly scriptOf: (sha256: string) => Uint8Array | undefined
}

export interface Offer {
  /** Not needed if the lease orders hold or kill. */
  readonly release?: Envelope | undefined
  readonly lease?: Envelope | undefined
  readonly scripts: readonly { readonly content: Uint8Array }[]
}
