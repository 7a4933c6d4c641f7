// Whether a device accepts an offer: the rows of checks.ts, one after the other. Nothing here touches the disk.

import { type LeasePayload, type Order, type ReleasePayload, sha256 } from '@holdfast/hooks/team'
import { type Case, CHECKS } from './checks.js'
import { type Mark, markUnder, raiseMark } from './mark.js'
import type { Offer, Standing } from './offer.js'
import type { Refusal } from './refusals.js'

export interface Accepted {
  readonly order: Order
  readonly lease: LeasePayload
  /** None for hold and kill. */
  readonly release?: { readonly hash: string; readonly payload: ReleasePayload }
  /** Never below the one before. */
  readonly mark: Mark
  /** By name: those for this system. */
  readonly scripts: ReadonlyMap<string, Uint8Array>
}

export type Acceptance =
  | { readonly ok: true; readonly accepted: Accepted }
  | { readonly ok: false; readonly refusal: Refusal }

export function accept(standing: Standing, offer: Offer): Acceptance {
  const given: Case = {
    standing,
    mark: markUnder(standing.trust, standing.mark),
    offer,
    hash: offer.release ? sha256(offer.release.payload) : '',
    scripts: new Map(),
  }
  for (const { code, problem } of CHECKS) {
    const message = problem(given)
    if (message !== undefined) return { ok: false, refusal: { code, message } }
  }
  const lease = given.lease!
  const release = given.release && { hash: given.hash, payload: given.release }
  const mark = raiseMark(given.mark, { lease: { envelope: offer.lease!, payload: lease }, release })
  const taken = release ? { release } : {}
  return { ok: true, accepted: { order: lease.order, lease, ...taken, mark, scripts: given.scripts } }
}
