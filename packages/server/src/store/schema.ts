// The tables, as both databases have them. Times are milliseconds since 1970, flags are 0 or 1, JSON is text: what
// reads the same from both needs no second query layer. The migrations make what is described here.

import type { Generated, Selectable } from 'kysely'

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
}

/** better-auth writes its own tables, and writes times as text or as dates: read them by `new Date`. */
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
  /** Who it is to the issuer. */
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
  /** What the device said of itself, as JSON. */
  scope: string | null
  expiresAt: LibraryTime
}

/** One row: a server is a team. */
export interface TeamTable {
  one: number
  id: string
  name: string
  /** Under which devices are dealt out to rings. */
  salt: string
  /** RolloutSettings as JSON. */
  rollout: string
  record_days: number
  /** A Shortening and a Hold (audit/retention.ts) as JSON. */
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
  draft_at: number | null
  /** SHA-256 of the draft that was last checked and found fit. */
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
  /** As JSON; empty until somebody has signed. */
  signatures: string
  state: 'unsigned' | 'rolling' | 'done' | 'halted'
  ring: number
  ring_since: number
  /** Rises with every change of state, so that only one of two processes makes it. */
  generation: number
  halted_because: string
  /** HaltCause[] as JSON: what the devices had shown that made the server halt it. */
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
  /** Of the last lease that it was given. */
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
  role: string
  joined_at: number
  last_seen_at: number
  /** The user id of the member who invited or last promoted this one; empty for an owner's first link and for a domain. */
  vouched_by: Generated<string>
  vouched_at: Generated<number>
}

/** A change that waits for a second admin. */
export interface ChangeRequestRow {
  /** SHA-256 of the method, the subject and what is wished. */
  id: string
  method: string
  subject: string
  /** As JSON. */
  wish: string
  user_id: string
  by: string
  at: number
}

export interface InviteRow {
  id: string
  secret_hash: string
  email: string
  role: string
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
  /** A device's or a person's id. */
  owner: string
  name: string
  role: string
  created_at: number
  expires_at: number
  last_used_at: number
  revoked_at: number | null
}

export interface RecordRow {
  /**
   * Days since 1970 of the time inside the id: a record that is sent again finds its own partition. 0 where that time
   * cannot be believed.
   */
  day: number
  id: string
  /** The time inside the id, or where that cannot be believed the time of its arrival. */
  at: number
  received_at: number
  device_id: string
  event: string
  hook: string
  /** 0 when it is not a hook of the team. */
  hook_id: Generated<number>
  source: string
  /** allow, deny, ask, none or failed. */
  verdict: string
  failed_open: number
  observed: number
  duration_ms: number
  release: number
  revision: number
  clock_skew: number
  conversation_id: string
  summary: string
  body: string
}

/** Counts of runs by their duration; the borders stand in audit/histogram.ts. */
export const BUCKETS = [
  'b0',
  'b1',
  'b2',
  'b3',
  'b4',
  'b5',
  'b6',
  'b7',
  'b8',
  'b9',
  'b10',
  'b11',
  'b12',
  'b13',
  'b14',
  'b15',
] as const
export type Bucket = (typeof BUCKETS)[number]

/** Sums by hour, hook, event, release and verdict. */
export interface RollupRow extends Record<Bucket, number> {
  /** Hours since 1970. */
  hour: number
  hook: string
  event: string
  release: number
  /** As audit/verdict.ts shows it. */
  verdict: string
  count: number
  ms_sum: number
}

/** Records that wait to be sent on: their days and ids, as JSON. */
export interface OutboxRow {
  id: Generated<number>
  at: number
  ids: string
}

/** What a release did on one device. */
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
