// The tables, as both databases have them. Times are milliseconds since 1970, flags are 0 or 1, JSON is text: what
// reads the same from both needs no second query layer. The migrations make what is described here.

import type { Generated, Selectable } from 'kysely'
import type { RecordRow, RollupRow } from '../records/record.js'
import type { Role } from '../roles.js'

export interface Schema {
  migrations: { id: string; at: number }
  team: TeamTable
  trust: { version: number; seal: string; at: number }
  team_keys: TeamKeyRow
  hooks: HookRow
  revisions: RevisionRow
  scripts: { sha256: string; content: Uint8Array }
  releases: ReleaseRow
  release_hooks: { release: number; hook_id: number; revision: number }
  ring_members: { release: number; ring: number; device_id: string }
  pins: PinRow
  devices: DeviceRow
  enrolment_keys: EnrolmentKeyRow
  members: MemberRow
  change_requests: ChangeRequestRow
  vouches: { by: string; whom: string; at: number }
  invites: InviteRow
  removed_members: { name: string; at: number; by: string }
  tokens: TokenRow
  records: RecordRow
  cursors: { device_id: string; segment: string; acked_to: number; at: number }
  rollup: RollupRow & { span: number }
  rollup_deltas: RollupRow & { id: Generated<number> }
  device_days: { day: number; device_id: string; count: number }
  outbox: OutboxRow
  evidence: EvidenceRow
  admin_actions: AdminActionRow
  admin_head: { one: number; seq: number; hash: string }
  refused_calls: { id: Generated<number>; at: number; what: string; who: string; detail: string }
  told: { what: string; at: number }
  duties: { name: string; holder: string; until: number; done_at: number }
  limits: { key: string; points: number; expire: number | null }
  user: UserRow
  session: SessionRow
  account: AccountRow
  verification: VerificationRow
  deviceCode: DeviceCodeRow
  twoFactor: { id: string; userId: string; secret: string }
  passkey: { id: string; userId: string; name: string | null }
}

/** better-auth writes its own tables, with times as text or as dates: read them by `new Date`. */
export type LibraryTime = string | Date

export interface UserRow {
  id: string
  name: string
  email: string
  emailVerified: number | boolean
  /** A second factor was set up. */
  twoFactorEnabled: Generated<number | boolean>
  createdAt: LibraryTime
}

export interface SessionRow {
  id: string
  /** Of the token, its SHA-256. */
  token: string
  userId: string
  userAgent: string | null
  expiresAt: LibraryTime
}

export interface AccountRow {
  id: string
  userId: string
  /** credential, for a password; or oidc. */
  providerId: string
  /** The subject at the issuer. */
  accountId: string
}

export interface VerificationRow {
  id: string
  expiresAt: LibraryTime
}

export interface DeviceCodeRow {
  id: string
  /** Its SHA-256. */
  deviceCode: string
  userCode: string
  userId: string | null
  status: string
  /** The device's description of itself, as JSON. */
  scope: string | null
  expiresAt: LibraryTime
}

/** One row, because a server has one team. */
export interface TeamTable {
  one: number
  id: string
  name: string
  /** The salt for assigning devices to rings. */
  salt: string
  /** RolloutSettings as JSON. */
  rollout: string
  record_days: number
  /** A Shortening and a Hold (store/retention.ts) as JSON. */
  shortening: Generated<string>
  legal_hold: Generated<string>
  killed: number
  killed_because: string
  created_at: number
}

export type TeamRow = Selectable<TeamTable>

export interface TeamKeyRow {
  id: string
  use: 'root' | 'release' | 'lease'
  public_key: Uint8Array
  /** Null when it is kept elsewhere. */
  private_key: Uint8Array | null
  created_at: number
  retired_at: number | null
}

export interface HookRow {
  id: Generated<number>
  name: string
  /** The draft's TeamHook as JSON, without its script. */
  draft: string | null
  draft_script: string | null
  draft_version: number
  draft_by: string | null
  /** The user ids of everyone who saved the draft, as JSON. */
  draft_authors: string
  draft_at: number | null
  /** SHA-256 of the draft that last passed the check. */
  fit: string | null
  /** The newest revision; 0 when there is none. */
  revision: number
  created_at: number
}

export interface RevisionRow {
  hook_id: number
  number: number
  hash: string
  /** The canonical record, as JSON. */
  content: string
  sha256: string | null
  note: string
  author: string
  at: number
}

export interface ReleaseRow {
  number: number
  epoch: number
  hash: string
  payload: Uint8Array
  /** As JSON; empty until it is signed. */
  signatures: string
  state: 'unsigned' | 'rolling' | 'done' | 'halted'
  ring: number
  ring_since: number
  /** Increases with every change of state, so that only one of two processes makes it. */
  generation: number
  halted_because: string
  /** HaltCause[] as JSON: the evidence of devices that made the server halt it. */
  halt_causes: string
  rolls_back_to: number | null
  note: string
  author: string
  at: number
  expires_at: number
}

export interface PinRow {
  kind: 'device' | 'group'
  whom: string
  release: number
  until: number
  reason: string
  by: string
}

export interface DeviceRow {
  id: string
  name: string
  operating_system: string
  os_version: string
  client_version: string
  group: string
  enrolled_at: number
  enrolled_by: string
  /** Empty: none is known. */
  owner: string
  enrolment_key: string | null
  token_id: string
  last_seen_at: number
  release: number
  release_hash: string
  trust_version: number
  state: string
  problems: string
  queued: number
  /** Its place among all devices, from 0 to 1. */
  place: number
  revoked_at: number | null
  looks_cloned: number
  /** Of the last lease that it received. */
  lease_seq: number
}

export interface EnrolmentKeyRow {
  id: string
  secret_hash: string
  note: string
  group: string
  uses: number
  max_uses: number
  created_at: number
  created_by: string
  expires_at: number
  revoked_at: number | null
}

export interface MemberRow {
  user_id: string
  role: Role
  joined_at: number
  last_seen_at: number
}

/** A change that waits for a second admin. */
export interface ChangeRequestRow {
  /** SHA-256 of the method, the subject and the requested change. */
  id: string
  method: string
  subject: string
  /** As JSON. */
  wish: string
  /** The complete request, as JSON. */
  call: string
  user_id: string
  by: string
  at: number
}

export interface InviteRow {
  id: string
  secret_hash: string
  email: string
  role: Role
  invited_by: string
  created_at: number
  expires_at: number
  used_at: number | null
}

/** Of devices (hfd) and of people's scripts (hfp). */
export interface TokenRow {
  id: string
  kind: 'device' | 'person'
  secret_hash: string
  /** The id of a device or a user. */
  owner: string
  name: string
  /** Empty for a device. */
  role: Role | ''
  created_at: number
  expires_at: number
  last_used_at: number
  revoked_at: number | null
}

/** Records that wait for export: their days and ids, as JSON. */
export interface OutboxRow {
  id: Generated<number>
  at: number
  ids: string
}

/** The effect of a release on one device. */
export interface EvidenceRow {
  release: number
  device_id: string
  runs: number
  failures: number
  denials: number
  /** Of its first five runs. */
  first_failures: number
  at: number
}

export interface AdminActionRow {
  seq: number
  prev: string
  hash: string
  /** The exact bytes that the hash covers. */
  body: Uint8Array
  at: number
  actor: string
  action: string
  subject: string
}
