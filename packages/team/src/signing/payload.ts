// The payloads that servers write, and the head of the audit log. The head travels in leases, so that every device can
// compare it. The other payloads are read by the engine, too.

import {
  type Envelope,
  type Fitted,
  fit,
  hex,
  type LeasePayload,
  object,
  type Part,
  type ReleasePayload,
  readEnvelope,
  type TrustPayload,
  teamId,
  time,
  whole,
} from '@holdfast/hooks/team'

export interface HeadPayload {
  readonly team_id: string
  readonly seq: number
  readonly hash: string
  readonly at: string
}

const head: Part<HeadPayload> = object({ team_id: teamId, seq: whole(0), hash: hex(64), at: time })

const toBytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))

export const writeTrust = (value: TrustPayload): Uint8Array => toBytes(value)
export const writeRelease = (value: ReleasePayload): Uint8Array => toBytes(value)
export const writeLease = (value: LeasePayload): Uint8Array => toBytes(value)
export const writeHead = (value: HeadPayload): Uint8Array => toBytes(value)

export const readHead = (payload: Uint8Array): Fitted<HeadPayload> => fit(head, payload, 'head')

/** The head has a signature of its own, so that it is also valid without the lease. */
export const headOf = ({ audit_head }: LeasePayload): Envelope | undefined =>
  audit_head && readEnvelope(audit_head)
