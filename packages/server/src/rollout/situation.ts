// Everything that decides what devices get, cached until something changes: a poll without a change needs no query.

import { createHash } from 'node:crypto'
import type { Envelope, ReleasePayload } from '@holdfast/team'
import type { EnrolledDevice } from '../access/actor.js'
import type { StateRules } from '../store/device-states.js'
import type { Db } from '../store/open.js'
import { allPins } from '../store/pins.js'
import { releaseHeads, scriptsBySum } from '../store/releases.js'
import { membersOf } from '../store/rings.js'
import type { Settings } from '../store/team.js'
import { killSwitch, settingsIn } from '../store/team.js'
import type { Team } from '../team.js'
import { chainIn, signingKey, trustIfSigned } from './keys.js'
import { envelopeIn, isSigned, payloadIn, releaseOf } from './releases.js'
import { type RolledRelease, type WantedRelease, wanted } from './wanted.js'

/** Everything that decides what devices get, read once for each change and not once for each device. */
export interface Situation {
  readonly settings: Settings
  /** The newest first; without those that wait for a signature. */
  readonly releases: readonly RolledRelease[]
  readonly pins: ReadonlyMap<string, { release: number; until: number }>
  readonly isKilled: boolean
  /** The chain of trust; its last version is active. */
  readonly trust: readonly Envelope[]
  /** The private lease key; null when this server does not hold it. */
  readonly leaseKey: Uint8Array | null
  load(release: number): Promise<LoadedRelease>
  /** Entity tags by what they stand for. */
  readonly etags: Map<string, string>
}

export interface LoadedRelease {
  readonly sealed: Envelope
  readonly payload: ReleasePayload
  readonly scripts: ReadonlyMap<string, Uint8Array>
}

export async function situationOf({ store, secrets }: Team): Promise<Situation> {
  const { db } = store
  const rows = (await releaseHeads(db)).filter(isSigned)
  // A release that is done reaches every ring, and older ones reach devices only by a pin.
  const newestDone = rows.find(({ state }) => state === 'done')?.number ?? 0
  const members = new Map<number, Map<string, number>>()
  for (const [index, { number, state }] of rows.entries()) {
    // The newest release names the ring that is shown.
    if (index === 0 || (state !== 'done' && number > newestDone))
      members.set(number, await membersOf(db, number))
  }
  const pins = await allPins(db)
  const { isOn: isKilled } = await killSwitch(db)
  const root = await trustIfSigned(db)
  const loaded = new Map<number, Promise<LoadedRelease>>()
  return {
    settings: await settingsIn(db),
    releases: rows.map(({ number, hash, state, ring }) => {
      const rings = members.get(number)
      return { number, hash, state, ring, hasMembers: (rings?.size ?? 0) > 0, ringOf: id => rings?.get(id) }
    }),
    pins: new Map(pins.map(({ kind, whom, release, until }) => [`${kind} ${whom}`, { release, until }])),
    // Otherwise devices would reject the order, and everything else with it.
    isKilled: isKilled && root?.kill_by_server === true,
    trust: await chainIn(db),
    leaseKey: root && (await signingKey(db, secrets, 'lease')),
    load(number) {
      const found = loaded.get(number) ?? load(db, number)
      loaded.set(number, found)
      found.catch(() => loaded.delete(number))
      return found
    },
    etags: new Map(),
  }
}

async function load(db: Db, number: number): Promise<LoadedRelease> {
  const row = await releaseOf(db, number)
  const payload = payloadIn(row)
  const sums = [...new Set(payload.hooks.flatMap(({ sha256 }) => sha256 ?? []))]
  return {
    payload,
    sealed: envelopeIn(row),
    scripts: await scriptsBySum(db, sums),
  }
}

export function wantedFor(
  device: Pick<EnrolledDevice, 'id' | 'place' | 'group'>,
  { settings, releases, pins }: Situation,
  now: number,
): WantedRelease {
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

export interface Situations {
  current(): Promise<Situation>
}

export function keepSituation(team: Team): Situations {
  let kept: { epoch: number; situation: Promise<Situation> } | null = null
  return {
    current() {
      const epoch = team.hub.epoch('releases')
      if (kept?.epoch !== epoch) {
        const situation = situationOf(team)
        kept = { epoch, situation }
        situation.catch(() => {
          if (kept?.situation === situation) kept = null
        })
      }
      return kept!.situation
    },
  }
}

/** The same as plain values, for the queries that judge many devices. */
export const rulesBy =
  ({ now }: Team, situations: Situations) =>
  async (): Promise<StateRules> => {
    const { isKilled, pins, settings, releases } = await situations.current()
    const at = now()
    return {
      now: at,
      isKilled,
      pins: [...pins].flatMap(([key, { release, until }]) => {
        const [kind, whom] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
        return until > at ? [{ kind: kind as 'device' | 'group', whom, release }] : []
      }),
      rings: settings.rings,
      releases,
    }
  }
