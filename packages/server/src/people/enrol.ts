// A device joins the team: by an enrolment key, or by a user who approved its code. The id comes from the device; one
// that belongs to another user's device is never reassigned.

import { createHash } from 'node:crypto'
import type { ServiceImpl } from '@connectrpc/connect'
import type { DeviceFacts, DeviceService, EnrolRequest } from '@holdfast/team'
import { ACTOR, type Actor, type DeviceActor } from '../access/actor.js'
import { networkOf } from '../access/address.js'
import { openLimit } from '../access/limits.js'
import { append } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import { findDevice, insertDevice, markRevoked, updateDevice } from '../store/devices.js'
import type { Tx } from '../store/open.js'
import { findTeam } from '../store/team.js'
import { revokeTokensOf } from '../store/tokens.js'
import type { Team } from '../team.js'
import { issue, renew } from './device-tokens.js'
import { openProof, type Proof } from './proof.js'
import { mustHaveKeys, trustChain } from './trust.js'
import { toLine } from './words.js'

const SYSTEMS = ['Windows', 'Macintosh', 'Linux']

export function enrolRpc(
  team: Team,
): Pick<ServiceImpl<typeof DeviceService>, 'enrol' | 'renewToken' | 'leave'> {
  const wrong = openLimit(team.store, { name: 'enrol', tries: 30, inSeconds: 600, lockSeconds: 600 })
  return {
    async enrol(request, { values }) {
      const { address } = values.get(ACTOR)
      const network = networkOf(address)
      const shut = await wrong.shutFor(network)
      if (shut > 0) throw new RequestError('too-much', `Too many wrong keys. Try again in ${shut} seconds.`)
      try {
        return await enrol(team, request, address)
      } catch (error) {
        if (error instanceof RequestError && error.code === 'unknown-caller') {
          await wrong.take(network)
          await wrong.failed(network)
        }
        throw error
      }
    },
    async renewToken(_, { values }) {
      const { text, expiresAt } = await renew(team, (values.get(ACTOR) as DeviceActor).deviceId)
      return { token: text, tokenExpiresAt: new Date(expiresAt).toISOString() }
    },
    async leave(_, { values }) {
      await leave(team, values.get(ACTOR) as DeviceActor)
      return {}
    },
  }
}

async function enrol(team: Team, { proof: shown, deviceId: id, facts }: EnrolRequest, address: string) {
  // First and without a transaction: an unauthenticated caller must not make the server wait or write.
  await openProof(team, team.store.db, shown, address)
  if (!/^[0-9a-f]{32}$/.test(id)) {
    throw new RequestError(
      'invalid',
      'device_id is not 32 hex digits in lower case. Make one from 16 random bytes.',
    )
  }
  const known = checkedFacts(facts)
  const outcome = await team.store.write(async tx => {
    await mustHaveKeys(tx)
    const proof = await openProof(team, tx, shown, address)
    const device = await place(team, tx, id, known, proof)
    if (!device) return { cloned: true } as const
    await proof.use(device.isSame)
    const token = await issue(team, tx, id)
    await updateDevice(tx, id, { token_id: token.id })
    const trust = await trustChain(tx)
    const actor: Actor = proof.person ?? { kind: 'device', deviceId: id, address }
    await append(tx, actor, team.now(), {
      action: 'device.enrol',
      subject: id,
      detail: { name: known.name, by: proof.by, again: device.isSame },
    })
    return { cloned: false, token, trust, group: device.group, isSame: device.isSame } as const
  })
  team.hub.changed('devices')
  if (outcome.cloned) {
    throw new RequestError(
      'exists',
      'Another device of the team has this device_id: the disk was copied, or it changed hands. Make a new device_id and enrol again.',
    )
  }
  if (outcome.isSame) team.hub.changed('tokens', id)
  return {
    teamId: team.id,
    teamName: team.name,
    token: outcome.token.text,
    tokenExpiresAt: new Date(outcome.token.expiresAt).toISOString(),
    trust: outcome.trust,
    group: outcome.group,
  }
}

interface EnrolledDevice {
  name: string
  operating_system: string
  os_version: string
  client_version: string
}

function checkedFacts(facts: DeviceFacts | undefined): EnrolledDevice {
  const system = facts?.operatingSystem ?? ''
  if (!SYSTEMS.includes(system)) {
    throw new RequestError(
      'invalid',
      `operating_system is "${system.slice(0, 40)}"; expected ${SYSTEMS.join(', ')}.`,
    )
  }
  return {
    name: toLine('facts.name', facts?.name ?? ''),
    operating_system: system,
    os_version: toLine('facts.os_version', facts?.osVersion ?? '', { empty: true }),
    client_version: toLine('facts.client_version', facts?.clientVersion ?? '', { empty: true }),
  }
}

/** Its row, new or renewed; null if the id belongs to somebody else, whose row is marked. */
async function place(
  team: Team,
  tx: Tx,
  id: string,
  facts: EnrolledDevice,
  proof: Proof,
): Promise<{ isSame: boolean; group: string } | null> {
  const at = team.now()
  const { salt } = (await findTeam(tx))!
  const isNew = await insertDevice(tx, {
    id,
    ...facts,
    group: proof.group,
    enrolled_at: at,
    enrolled_by: proof.by,
    enrolment_key: proof.key,
    // A key lets in a fleet, so it does not name an owner.
    owner: proof.key === null ? proof.by : '',
    token_id: '',
    last_seen_at: at,
    release: 0,
    release_hash: '',
    trust_version: 0,
    state: 'no_bundle',
    problems: '[]',
    queued: 0,
    place: placeOf(team.id, salt, id),
    revoked_at: null,
    looks_cloned: 0,
    lease_seq: 0,
  })
  if (isNew) return { isSame: false, group: proof.group }
  const old = (await findDevice(tx, id))!
  const isSame = proof.key === null ? old.enrolled_by === proof.by : old.enrolment_key === proof.key
  if (!isSame) {
    // A revoked device does not count against the new one.
    if (old.revoked_at === null) await updateDevice(tx, id, { looks_cloned: 1 })
    return null
  }
  // A thief of the device may have the key, too. A user who signs in vouches for the device; a key does not.
  if (proof.key !== null && old.revoked_at !== null && old.state !== 'left') {
    throw new RequestError(
      'forbidden',
      'This device was removed from the team. Run "holdfast login" on it, or make a new device_id and enrol with a new key.',
    )
  }
  // Locks the row first: of two concurrent enrolments the second waits, and then sees the token of the first.
  await updateDevice(tx, id, {
    ...facts,
    enrolled_at: at,
    last_seen_at: at,
    revoked_at: null,
    state: 'no_bundle',
  })
  await revokeTokensOf(tx, 'device', id, team.now())
  return { isSame, group: old.group }
}

/** From 0 to 1, stable until the team changes its salt. */
export function placeOf(team: string, salt: string, device: string): number {
  const digest = createHash('sha256').update(`holdfast-ring\0${team}\0${salt}\0${device}`).digest()
  return Number(digest.readBigUInt64BE(0)) / 2 ** 64
}

async function leave(team: Team, actor: DeviceActor): Promise<void> {
  await team.store.write(async tx => {
    const device = await markRevoked(tx, actor.deviceId, team.now(), 'left')
    // Another server has revoked it, which is final.
    if (!device) return
    await revokeTokensOf(tx, 'device', actor.deviceId, team.now())
    await append(tx, actor, team.now(), {
      action: 'device.leave',
      subject: actor.deviceId,
      detail: device,
    })
  })
  team.hub.changed('tokens', actor.deviceId)
  team.hub.changed('devices')
}
