// What one device receives: the release that it should have now, the scripts that it lacks, and a lease. Only the lease is
// made for the device. Everything else is serialised and compressed once for all devices that are alike.

import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  type Envelope,
  type GetTeamHooksRequest,
  type GetTeamHooksResponse,
  GetTeamHooksResponseSchema,
  isFor,
  type LeasePayload,
  type OperatingSystem,
  signEnvelope,
  type WrittenEnvelope,
  writeEnvelope,
  writeHead,
  writeLease,
} from '@holdfast/team'
import type { EnrolledDevice } from '../access/actor.js'
import { gather } from '../access/gather.js'
import { DAY_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import { readHead } from '../store/admin-actions.js'
import type { Team } from '../team.js'
import { UNSIGNED_TEAM } from './keys.js'
import { etagFor, type Situation, wantedFor } from './situation.js'
import type { WantedRelease } from './wanted.js'

const LEASE_MS = 7 * DAY_MS
/** Of prepared responses. Devices choose which scripts they claim to have. */
const MOST_CACHED_BYTES = 64 * 1024 * 1024

export type Deliver = (
  device: EnrolledDevice,
  situation: Situation,
  request: GetTeamHooksRequest,
) => Promise<Delivery>

export interface Delivery {
  readonly etag: string
  readonly shared: SharedPart
  /** A response with this field only. Serialised messages are merged by concatenation. */
  readonly lease: Uint8Array
}

/** A response without its lease. */
export interface SharedPart {
  readonly bytes: Buffer
  /** Compressed once, on first use. Null without CRC-32 in Node, which has it since 20.15. */
  readonly compressed: () => Promise<CompressedPart> | null
}

export interface CompressedPart {
  /** Raw deflate, flushed to a full byte and not ended. */
  readonly deflated: Buffer
  readonly crc32: number
}

export const messageIn = ({ shared, lease }: Delivery): GetTeamHooksResponse =>
  fromBinary(GetTeamHooksResponseSchema, Buffer.concat([shared.bytes, lease]))

export function openDelivery(team: Team): Deliver {
  const head = auditHeadOf(team)
  const cache = openCache()
  return async (device, situation, request) => {
    const now = team.now()
    const target = wantedFor(device, situation, now)
    const etag = etagFor(device, situation, now)
    const key = JSON.stringify([etag, request.trustVersion, request.haveSha256])
    const shared = await cache(situation, key, () => sharedPart(device, target, situation, { request, etag }))
    const lease = leaseFor(team, device, target, situation, {
      now,
      head: await head(situation),
      seen: Number(request.leaseSeq),
    })
    return { etag, shared, lease: toBytes({ lease: messageOfEnvelope(lease) }) }
  }
}

const toBytes = (message: MessageInitShape<typeof GetTeamHooksResponseSchema>): Buffer =>
  Buffer.from(toBinary(GetTeamHooksResponseSchema, create(GetTeamHooksResponseSchema, message)))

/** Stores the parts for one situation. */
function openCache() {
  let cachedFor: Situation | null = null
  let cached = new Map<string, Promise<SharedPart>>()
  let size = 0
  return (situation: Situation, key: string, prepare: () => Promise<SharedPart>): Promise<SharedPart> => {
    if (cachedFor !== situation || size > MOST_CACHED_BYTES) {
      ;[cachedFor, cached, size] = [situation, new Map(), 0]
    }
    const found = cached.get(key)
    if (found) return found
    const [map, part] = [cached, prepare()]
    map.set(key, part)
    part.then(
      ({ bytes }) => {
        if (cached === map) size += 2 * bytes.length + 2 * key.length
      },
      () => map.delete(key),
    )
    return part
  }
}

async function sharedPart(
  device: EnrolledDevice,
  { release, ring }: WantedRelease,
  situation: Situation,
  { request, etag }: { request: GetTeamHooksRequest; etag: string },
): Promise<SharedPart> {
  const found = release && !situation.isKilled ? await situation.load(release.number) : null
  const system = device.operating_system as OperatingSystem
  const hooks = found ? found.payload.hooks.filter(hook => isFor(hook, system)) : []
  const have = new Set(request.haveSha256)
  const sums = new Set(hooks.flatMap(({ sha256 }) => sha256 ?? []))
  const bytes = toBytes({
    trust: situation.trust.slice(Math.max(0, request.trustVersion)).map(messageOfEnvelope),
    ...(found ? { release: messageOfEnvelope(found.sealed) } : {}),
    scripts: [...sums].flatMap(sha256 => {
      const content = have.has(sha256) ? undefined : found!.scripts.get(sha256)
      return content ? [{ sha256, content }] : []
    }),
    ring,
    etag,
  })
  let compressed: Promise<CompressedPart> | null = null
  return {
    bytes,
    compressed: () => (compressed ??= typeof zlib.crc32 === 'function' ? compress(bytes) : null),
  }
}

const deflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflateRaw)
const compress = async (bytes: Buffer): Promise<CompressedPart> => ({
  deflated: await deflate(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  crc32: zlib.crc32(bytes),
})

export const messageOfEnvelope = ({ type, payload, signatures }: Envelope) => ({
  type,
  payload,
  signatures: signatures.map(({ keyId, value }) => ({ keyId, value })),
})

/** How long a signed head stays, unless the log has a new entry. */
const HEAD_MS = 60_000

/**
 * The signed head of the audit log. Read again for every response, by one query for those that come together: a device that
 * got a newer one from another server would report an older one as a log that was cut.
 */
function auditHeadOf({ id, store, now }: Team): (situation: Situation) => Promise<WrittenEnvelope> {
  const read = gather(async () => {
    return new Map([['head', await readHead(store.db)]])
  })
  let last: { hash: string; at: number; key: Uint8Array; written: WrittenEnvelope } | null = null
  return async ({ trust, leaseKey }) => {
    const { seq, hash } = (await read('head'))!
    if (trust.length === 0) throw new RequestError('not-now', UNSIGNED_TEAM)
    if (!leaseKey)
      throw new RequestError('not-now', 'The lease key is not here. Restore the secret of this server.')
    const at = now()
    if (last?.hash !== hash || last.key !== leaseKey || Math.abs(at - last.at) > HEAD_MS) {
      const payload = writeHead({ team_id: id, seq, hash, at: new Date(at).toISOString() })
      last = { hash, at, key: leaseKey, written: writeEnvelope(signEnvelope('head', payload, leaseKey)) }
    }
    return last.written
  }
}

/** The largest number that a device may report: one more must still be a safe integer. */
const MOST_SEQ = Number.MAX_SAFE_INTEGER - 1

function leaseFor(
  team: Team,
  device: EnrolledDevice,
  { release, ring, isBack }: WantedRelease,
  { isKilled, leaseKey }: Situation,
  { now, head, seen }: { now: number; head: WrittenEnvelope; seen: number },
): Envelope {
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
  return signEnvelope('lease', writeLease(lease), leaseKey!)
}
