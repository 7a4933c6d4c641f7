// The instruction of the server to one device: the release that it should have now.

import { type WrittenSeal, writtenSeal } from './envelope.js'
import { type Fitted, fit, hex, object, oneOf, type Part, prose, teamId, text, time, whole } from './shape.js'

/**
 * take: this release. revert: this older one, which the active one allows. hold: keep the active one. kill: no hooks,
 * if the root metadata allows that.
 */
export type Order = 'take' | 'revert' | 'hold' | 'kill'

export interface LeasePayload {
  readonly team_id: string
  readonly device_id: string
  readonly seq: number
  readonly issued_at: string
  readonly not_after: string
  /** 0 and empty without a release: for hold before the first one, and for kill. */
  readonly release: number
  readonly release_hash: string
  readonly ring: string
  readonly order: Order
  /** The signed head of the audit log, so that every device can compare it. */
  readonly audit_head?: WrittenSeal
}

const lease: Part<LeasePayload> = object(
  {
    team_id: teamId,
    device_id: hex(32),
    seq: whole(1),
    issued_at: time,
    not_after: time,
    release: whole(0),
    release_hash: text('64 hex digits, or nothing', value => /^([0-9a-f]{64})?$/.test(value)),
    ring: prose(100),
    order: oneOf('take', 'revert', 'hold', 'kill'),
  },
  { audit_head: writtenSeal },
)

export const readLease = (payload: Uint8Array): Fitted<LeasePayload> => fit(lease, payload, 'lease')
