// What one device is handed: the release it shall have now, a lease that says so, and the scripts that it lacks.

import { createHash } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import {
  type GetTeamHooksRequest,
  type GetTeamHooksResponse,
  GetTeamHooksResponseSchema,
  isFor,
  type LeasePayload,
  type OperatingSystem,
  type Sealed,
  seal,
  writeHead,
  writeLease,
  writeSeal,
} from '@holdfast/team'
import { Refusal } from '../refusal.js'
import type { DeviceRow, ReleaseRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { chainIn, signingKey, trustIfSigned } from './keys.js'
import { payloadIn, releaseOf, sealIn } from './releases.js'
import { dealtFor } from './rings.js'
import { type Settings, settingsIn } from './settings.js'
import { type RolledRelease, type Wanted, wanted } from './wanted.js'

const LEASE_MS = 7 * 86_400_000

/** What every device is judged by, read once for each change and not once for each device. */
export interface Situation {
  readonly settings: Settings
  /** The newest first; none that waits for its signature. */
  readonly releases: readonly RolledRelease[]
  readonly pins: ReadonlyMap<string, { release: number; until: number }>
  readonly isKilled: boolean
  readonly trustVersion: number
}

export async function situationOf({ store }: Team): Promise<Situation> {
  const { db } = store
  const rows = await db
    .selectFrom('releases')
    .select(['number', 'hash', 'state', 'ring'])
    .where('signatures', '<>', '[]')
    .orderBy('number', 'desc')
    .execute()
  const rolling = rows.filter(({ state }) => state === 'rolling').map(({ number }) => number)
  const halted = rows.filter(({ state }) => state === 'halted').map(({ number }) => number)
  const dealt = new Map<number, Map<string, number>>()
  const newest = rows.slice(0, 1).map(({ number }) => number)
  for (const number of new Set([...newest, ...rolling, ...halted])) {
    dealt.set(number, await dealtFor(db, number))
  }
  const pins = await db.selectFrom('pins').select(['kind', 'whom', 'release', 'until']).execute()
  const { killed } = await db.selectFrom('team').select('killed').executeTakeFirstOrThrow()
  const trust = await trustIfSigned(db)
  return {
    settings: await settingsIn(db),
    releases: rows.map(row => ({ ...row, ringOf: (id: string) => dealt.get(row.number)?.get(id) })),
    pins: new Map(pins.map(({ kind, whom, release, until }) => [`${kind} ${whom}`, { release, until }])),
    // Otherwise devices would reject the order, and everything else with it.
    isKilled: killed === 1 && trust?.kill_by_server === true,
    trustVersion: trust?.version ?? 0,
  }
}

type Judged = Pick<DeviceRow, 'id' | 'place' | 'group'>

export function wantedFor(device: Judged, { settings, releases, pins }: Situation, now: number): Wanted {
  const pin = [pins.get(`device ${device.id}`), pins.get(`group ${device.group}`)].find(
    found => found && found.until > now,
  )
  return wanted(
    { id: device.id, place: device.place, pinned: pin?.release ?? null },
    releases,
    settings.rings,
  )
}

/** Changes exactly when the device has something to take. */
export function etagFor(
  device: Judged & Pick<DeviceRow, 'operating_system'>,
  situation: Situation,
  now: number,
): string {
  const { release, ring, isBack } = wantedFor(device, situation, now)
  const parts = [
    situation.isKilled ? 'kill' : (release?.hash ?? 'none'),
    isBack,
    ring,
    situation.trustVersion,
    device.operating_system,
  ]
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}"`
}

export async function deliver(
  team: Team,
  device: DeviceRow,
  situation: Situation,
  request: GetTeamHooksRequest,
): Promise<GetTeamHooksResponse> {
  const now = team.now()
  const target = wantedFor(device, situation, now)
  const row =
    target.release && !situation.isKilled ? await releaseOf(team.store.db, target.release.number) : null
  const lease = await leaseFor(team, device, target, situation, now)
  const trust = await chainIn(team.store.db, request.trustVersion)
  const release = row && sealIn(row)
  const scripts = row ? await scriptsFor(team, row, device, request) : new Map<string, Uint8Array>()
  return create(GetTeamHooksResponseSchema, {
    trust: trust.map(messageOfSeal),
    ...(release ? { release: messageOfSeal(release) } : {}),
    lease: messageOfSeal(lease),
    scripts: [...scripts].map(([sha256, content]) => ({ sha256, content })),
    ring: target.ring,
    etag: etagFor(device, situation, now),
  })
}

export const messageOfSeal = ({ type, payload, signatures }: Sealed) => ({
  type,
  payload,
  signatures: signatures.map(({ keyId, value }) => ({ keyId, value })),
})

async function leaseFor(
  team: Team,
  device: DeviceRow,
  { release, ring, isBack }: Wanted,
  { isKilled }: Situation,
  now: number,
): Promise<Sealed> {
  const { db } = team.store
  const key = await signingKey(db, team.secrets, 'lease')
  if (!key) throw new Refusal('not-now', 'The lease key is not here. Restore the secret of this server.')
  const { seq: auditSeq, hash } = await db.selectFrom('admin_head').selectAll().executeTakeFirstOrThrow()
  const at = new Date(now).toISOString()
  const head = seal('head', writeHead({ team_id: team.id, seq: auditSeq, hash, at }), key)
  const lease: LeasePayload = {
    team_id: team.id,
    device_id: device.id,
    seq: await nextLease(team, device.id, now),
    issued_at: at,
    not_after: new Date(now + LEASE_MS).toISOString(),
    release: isKilled ? 0 : (release?.number ?? 0),
    release_hash: isKilled ? '' : (release?.hash ?? ''),
    ring,
    order: isKilled ? 'kill' : release === null ? 'hold' : isBack ? 'revert' : 'take',
    audit_head: writeSeal(head),
  }
  return seal('lease', writeLease(lease), key)
}

/** Rises with every lease of the device, also when the clock was set back. */
async function nextLease({ store }: Team, deviceId: string, now: number): Promise<number> {
  const { lease_seq } = await store.db
    .updateTable('devices')
    .set(({ eb, case: when, ref }) => ({
      lease_seq: when()
        .when('lease_seq', '<', now)
        .then(now)
        .else(eb(ref('lease_seq'), '+', 1))
        .end(),
    }))
    .where('id', '=', deviceId)
    .returning('lease_seq')
    .executeTakeFirstOrThrow()
  return lease_seq
}

async function scriptsFor(
  team: Team,
  row: ReleaseRow,
  device: DeviceRow,
  request: GetTeamHooksRequest,
): Promise<Map<string, Uint8Array>> {
  const have = new Set(request.haveSha256)
  const sums = payloadIn(row)
    .hooks.filter(hook => isFor(hook, device.operating_system as OperatingSystem))
    .flatMap(({ sha256 }) => (sha256 === undefined || have.has(sha256) ? [] : [sha256]))
  if (sums.length === 0) return new Map()
  const rows = await team.store.db
    .selectFrom('scripts')
    .selectAll()
    .where('sha256', 'in', [...new Set(sums)])
    .execute()
  return new Map(rows.map(({ sha256, content }) => [sha256, new Uint8Array(content)]))
}
