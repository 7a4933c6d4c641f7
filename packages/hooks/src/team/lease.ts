// The instruction of the server to one device: the release that it should have now.

import { writtenEnvelope } from './envelope.js'
import {
  type Fitted,
  fit,
  hex,
  object,
  oneOf,
  prose,
  teamId,
  text,
  time,
  type Value,
  whole,
} from './shape.js'

const lease = object(
  {
    team_id: teamId,
    device_id: hex(32),
    seq: whole(1),
    issued_at: time,
    not_after: time,
    // 0 and empty without a release: for hold before the first one, and for kill.
    release: whole(0),
    release_hash: text('64 hex digits, or nothing', value => /^([0-9a-f]{64})?$/.test(value)),
    ring: prose(100),
    order: oneOf('take', 'revert', 'hold', 'kill'),
  },
  // The signed head of the audit log, so that every device can compare it.
  { audit_head: writtenEnvelope },
)

export type LeasePayload = Value<typeof lease>
/**
 * take: this release. revert: this older one, which the active one allows. hold: keep the active one. kill: no hooks,
 * if the root metadata allows that.
 */
export type Order = LeasePayload['order']

export const readLease = (payload: Uint8Array): Fitted<LeasePayload> => fit(lease, payload, 'lease')
