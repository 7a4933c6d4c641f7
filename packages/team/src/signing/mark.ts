// The highest values that a device has accepted. They never decrease, whatever is active.

import {
  type Envelope,
  type LeasePayload,
  type ReleasePayload,
  sha256,
  type TrustPayload,
} from '@holdfast/hooks/team'

export interface Mark {
  readonly epoch: number
  readonly release: number
  readonly hash: string
  /** The root metadata under which the others were accepted. */
  readonly trust_version: number
  readonly lease_seq: number
  readonly lease_hash: string
  /** The latest verified time, in milliseconds. */
  readonly time: number
}

export const NO_MARK: Mark = {
  epoch: 0,
  release: 0,
  hash: '',
  trust_version: 0,
  lease_seq: 0,
  lease_hash: '',
  time: 0,
}

/** Above 0: higher than the mark. */
export const compareToMark = (release: ReleasePayload, mark: Mark): number =>
  release.epoch - mark.epoch || release.release - mark.release

/** New root metadata resets leases and time: a stolen key may have set both to their maximum. */
export const markUnder = (trust: TrustPayload, mark: Mark): Mark =>
  trust.version > mark.trust_version
    ? {
        ...mark,
        trust_version: trust.version,
        lease_seq: 0,
        lease_hash: '',
        time: Date.parse(trust.issued_at),
      }
    : mark

interface Taken {
  readonly lease: { readonly envelope: Envelope; readonly payload: LeasePayload }
  readonly release?: { readonly hash: string; readonly payload: ReleasePayload } | undefined
}

export function raiseMark(mark: Mark, { lease, release }: Taken): Mark {
  const isHigher = release && compareToMark(release.payload, mark) > 0
  const times = [lease.payload, release?.payload].map(one => (one ? Date.parse(one.issued_at) : 0))
  return {
    ...mark,
    ...(isHigher
      ? { epoch: release.payload.epoch, release: release.payload.release, hash: release.hash }
      : {}),
    lease_seq: lease.payload.seq,
    lease_hash: sha256(lease.envelope.payload),
    time: Math.max(mark.time, ...times),
  }
}
