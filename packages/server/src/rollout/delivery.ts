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
  type ReleasePayload,
  type Sealed,
  seal,
  type WrittenSeal,
  writeHead,
  writeLease,
  writeSeal,
} from '@holdfast/team'
import type { EnrolledDevice } from '../access/actor.js'
import { gather } from '../access/gather.js'
import { DAY_MS } from '../durations.js'
import { Refusal } from '../refusal.js'
import type { Db } from '../store/open.js'
import type { Team } from '../team.js'
import { chainIn, signingKey, trustIfSigned, UNSIGNED_TEAM } from './keys.js'
import { payloadIn, releaseOf, sealIn } from './releases.js'
import { dealtFor } from './rings.js'
import { type Settings, settingsIn } from './settings.js'
import { type RolledRelease, type Wanted, wanted } from './wanted.js'

const LEASE_MS = 7 * DAY_MS

/** Everything that decides what devices get, read once for each change and not once for each device. */
export interface Situation {
  readonly settings: Settings
  /** The newest first; without those that wait for a signature. */
  readonly releases: readonly RolledRelease[]
  readonly pins: ReadonlyMap<string, { release: number; until: number }>
  readonly isKilled: boolean
  /** The chain of trust; its last version is active. */
  readonly trust: readonly Sealed[]
  /** The private lease key; null when this server does not hold it. */
  readonly leaseKey: Uint8Array | null
  prepare(release: number): Promise<Prepared>
  /** Entity tags by what they stand for. */
  readonly etags: Map<string, string>
}

/** A release as it is sent to every device. */
export interface Prepared {
  readonly message: ReturnType<typeof messageOfSeal>
  readonly payload: ReleasePayload
  readonly scripts: ReadonlyMap<string, Uint8Array>
}

export async function situationOf({ store, secrets }: Team): Promise<Situation> {
  const { db } = store
  const rows = await db
    .selectFrom('releases')
    .select(['number', 'hash', 'state', 'ring'])
    .where('signatures', '<>', '[]')
    .orderBy('number', 'desc')
    .execute()
  // A release that is done reaches every ring, and one below it reaches nobody but by a pin.
  const newestDone = rows.find(({ state }) => state === 'done')?.number ?? 0
  const dealt = new Map<number, Map<string, number>>()
  for (const [index, { number, state }] of rows.entries()) {
    // The newest names the ring that is shown.
    if (index === 0 || (state !== 'done' && number > newestDone))
      dealt.set(number, await dealtFor(db, number))
  }
  const pins = await db.selectFrom('pins').select(['kind', 'whom', 'release', 'until']).execute()
  const { killed } = await db.selectFrom('team').select('killed').executeTakeFirstOrThrow()
  const root = await trustIfSigned(db)
  const prepared = new Map<number, Promise<Prepared>>()
  return {
    settings: await settingsIn(db),
    releases: rows.map(row => ({ ...row, ringOf: (id: string) => dealt.get(row.number)?.get(id) })),
    pins: new Map(pins.map(({ kind, whom, release, until }) => [`${kind} ${whom}`, { release, until }])),
    // Otherwise devices would reject the order, and everything else with it.
    isKilled: killed === 1 && root?.kill_by_server === true,
    trust: await chainIn(db),
    leaseKey: root && (await signingKey(db, secrets, 'lease')),
    prepare(number) {
      const found = prepared.get(number) ?? prepare(db, number)
      prepared.set(number, found)
      found.catch(() => prepared.delete(number))
      return found
    },
    etags: new Map(),
  }
}

async function prepare(db: Db, number: number): Promise<Prepared> {
  const row = await releaseOf(db, number)
  const payload = payloadIn(row)
  const sums = [...new Set(payload.hooks.flatMap(({ sha256 }) => sha256 ?? []))]
  const rows =
    sums.length === 0 ? [] : await db.selectFrom('scripts').selectAll().where('sha256', 'in', sums).execute()
  return {
    payload,
    message: messageOfSeal(sealIn(row)),
    scripts: new Map(rows.map(({ sha256, content }) => [sha256, new Uint8Array(content)])),
  }
}

export function wantedFor(
  device: Pick<EnrolledDevice, 'id' | 'place' | 'group'>,
  { settings, releases, pins }: Situation,
  now: number,
): Wanted {
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
export function etagFor(device: EnrolledDevice, situation: Situation, now: number): string {
  const { release, ring, isBack } = wantedFor(device, situation, now)
  const { isKilled, trust, etags } = situation
  const target = isKilled ? 'kill' : (release?.hash ?? 'none')
  const parts = [target, isBack, ring, trust.length, device.operating_system]
  const text = JSON.stringify(parts)
  const etag = etags.get(text) ?? `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  etags.set(text, etag)
  return etag
}

export type Deliver = (
  device: EnrolledDevice,
  situation: Situation,
  request: GetTeamHooksRequest,
) => Promise<GetTeamHooksResponse>

/** A lease is signed for each device. Everything else of a response is prepared once for all of them. */
export function openDelivery(team: Team): Deliver {
  const head = auditHeadOf(team)
  return async (device, situation, request) => {
    const now = team.now()
    const target = wantedFor(device, situation, now)
    const found =
      target.release && !situation.isKilled ? await situation.prepare(target.release.number) : null
    const system = device.operating_system as OperatingSystem
    const hooks = found ? found.payload.hooks.filter(hook => isFor(hook, system)) : []
    const have = new Set(request.haveSha256)
    const sums = [...new Set(hooks.flatMap(({ sha256 }) => sha256 ?? []))].filter(sum => !have.has(sum))
    const scripts = new Map(
      sums.flatMap((sum): [string, Uint8Array][] => {
        const content = found!.scripts.get(sum)
        return content ? [[sum, content]] : []
      }),
    )
    const lease = leaseFor(team, device, target, situation, {
      now,
      head: await head(situation),
      seen: Number(request.leaseSeq),
    })
    return create(GetTeamHooksResponseSchema, {
      trust: situation.trust.slice(Math.max(0, request.trustVersion)).map(messageOfSeal),
      ...(found ? { release: found.message } : {}),
      lease: messageOfSeal(lease),
      scripts: [...scripts].map(([sha256, content]) => ({ sha256, content })),
      ring: target.ring,
      etag: etagFor(device, situation, now),
    })
  }
}

export const messageOfSeal = ({ type, payload, signatures }: Sealed) => ({
  type,
  payload,
  signatures: signatures.map(({ keyId, value }) => ({ keyId, value })),
})

/** How long a signed head stays, unless the log has a new entry. */
const HEAD_MS = 60_000

/**
 * The signed head of the audit log. Read anew for every response, by one query for those that come together: a device that
 * got a newer one from another server would report an older one as a log that was cut.
 */
function auditHeadOf({ id, store, now }: Team): (situation: Situation) => Promise<WrittenSeal> {
  const read = gather(async () => {
    const row = await store.db.selectFrom('admin_head').select(['seq', 'hash']).executeTakeFirstOrThrow()
    return new Map([['head', row]])
  })
  let last: { hash: string; at: number; key: Uint8Array; written: WrittenSeal } | null = null
  return async ({ trust, leaseKey }) => {
    const { seq, hash } = (await read('head'))!
    if (trust.length === 0) throw new Refusal('not-now', UNSIGNED_TEAM)
    if (!leaseKey)
      throw new Refusal('not-now', 'The lease key is not here. Restore the secret of this server.')
    const at = now()
    if (last?.hash !== hash || last.key !== leaseKey || Math.abs(at - last.at) > HEAD_MS) {
      const payload = writeHead({ team_id: id, seq, hash, at: new Date(at).toISOString() })
      last = { hash, at, key: leaseKey, written: writeSeal(seal('head', payload, leaseKey)) }
    }
    return last.written
  }
}

/** Above what a device may name: one more must still be a safe integer. */
const MOST_SEQ = Number.MAX_SAFE_INTEGER - 1

function leaseFor(
  team: Team,
  device: EnrolledDevice,
  { release, ring, isBack }: Wanted,
  { isKilled, leaseKey }: Situation,
  { now, head, seen }: { now: number; head: WrittenSeal; seen: number },
): Sealed {
  const lease: LeasePayload = {
    team_id: team.id,
    device_id: device.id,
    // Above the last one of this device, also when the clock of the server was set back.
    seq: Math.max(now, seen < MOST_SEQ ? seen + 1 : 0),
    issued_at: new Date(now).toISOString(),
    not_after: new Date(now + LEASE_MS).toISOString(),
    release: isKilled ? 0 : (release?.number ?? 0),
    release_hash: isKilled ? '' : (release?.hash ?? ''),
    ring,
    order: isKilled ? 'kill' : release === null ? 'hold' : isBack ? 'revert' : 'take',
    audit_head: head,
  }
  return seal('lease', writeLease(lease), leaseKey!)
}
