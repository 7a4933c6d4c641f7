// The word of the running server to one device: which release it shall have now. And the head of the admins' log, which
// travels in it so that every device is a witness.

import { readSeal, type Sealed, type WrittenSeal, writtenSeal } from './envelope.js'
import { type Fitted, fit, hex, object, oneOf, type Part, prose, teamId, text, time, whole } from './shape.js'

/**
 * take: this release. revert: this older one, which the one in force allows. hold: what is there stays.
 * kill: no hooks at all, where trust allows that.
 */
export type Order = 'take' | 'revert' | 'hold' | 'kill'

export interface LeasePayload {
  readonly team_id: string
  readonly device_id: string
  readonly seq: number
  readonly issued_at: string
  readonly not_after: string
  /** 0 and empty where there is none: hold before the first release, and kill. */
  readonly release: number
  readonly release_hash: string
  readonly ring: string
  readonly order: Order
  /** The seal of a Head. */
  readonly audit_head?: WrittenSeal
}

export interface HeadPayload {
  readonly team_id: string
  readonly seq: number
  readonly hash: string
  readonly at: string
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

const head: Part<HeadPayload> = object({ team_id: teamId, seq: whole(0), hash: hex(64), at: time })

export const writeLease = (value: LeasePayload): Uint8Array => Buffer.from(JSON.stringify(value))
export const readLease = (payload: Uint8Array): Fitted<LeasePayload> => fit(lease, payload, 'lease')

export const writeHead = (value: HeadPayload): Uint8Array => Buffer.from(JSON.stringify(value))
export const readHead = (payload: Uint8Array): Fitted<HeadPayload> => fit(head, payload, 'head')

/** The lease was checked; its head has a signature of its own, so that it also counts without the lease. */
export const headOf = ({ audit_head }: LeasePayload): Sealed | undefined => audit_head && readSeal(audit_head)
