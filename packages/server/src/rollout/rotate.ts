// Changes of the team's keys. Only root metadata that enough root keys have signed changes them, and the server has none of
// these keys: it prepares keys of its own, verifies what was signed elsewhere, and stores it.

import {
  type Envelope,
  envelopeRejection,
  generateKeys,
  keyIdOf,
  keysOf,
  sha256,
  signersOf,
  type TrustPayload,
  verifyTrustChain,
  writeEnvelope,
} from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import { allKeys, retireKey, updateTrust } from '../store/keys.js'
import type { Tx } from '../store/open.js'
import { signedReleases, updateRelease } from '../store/releases.js'
import type { TeamKeyRow } from '../store/schema.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'
import { addKey, addTrust, chainIn, firstTrust, heldKey, hex, signWith, trustIn } from './keys.js'
import { envelopeIn, signaturesWith } from './releases.js'

/** Makes a key of this server that counts once root metadata names it. */
export async function prepareKey(team: Team, actor: Person, use: 'release' | 'lease'): Promise<Uint8Array> {
  const { publicKey, privateKey } = generateKeys()
  const now = team.now()
  await team.store.write(async tx => {
    await addKey(tx, team.secrets, now, { use, publicKey, privateKey })
    await append(tx, actor, now, {
      action: 'keys.prepare',
      subject: `key ${keyIdOf(publicKey)}`,
      detail: { use },
    })
  })
  return publicKey
}

/** Root metadata that was signed elsewhere. */
export async function submitTrust(team: Team, actor: Person, envelope: Envelope): Promise<number> {
  const now = team.now()
  const version = await team.store.write(async tx => {
    await oneAtATime(tx)
    const isFirst = (await chainIn(tx)).length === 0
    const next = isFirst ? await acceptFirst(tx, envelope) : await accept(tx, team, envelope)
    await append(tx, actor, now, {
      action: 'keys.trust',
      subject: `trust ${next.version}`,
      detail: { epoch: next.epoch, signed_by: envelope.signatures.map(({ keyId }) => keyId) },
    })
    return next.version
  })
  team.hub.changed('releases')
  return version
}

/** Each root key must sign, which proves that it exists and was written down correctly. */
async function acceptFirst(tx: Tx, envelope: Envelope): Promise<TrustPayload> {
  const first = await firstTrust(tx)
  const fingerprint = first ? sha256(first.payload) : ''
  const { trust, refusal } = verifyTrustChain(undefined, fingerprint, [envelope])
  if (!trust || refusal)
    throw new RequestError('invalid', refusal?.message ?? 'The root metadata cannot be read.')
  const signed = signersOf(envelope, keysOf(trust.roots))
  const missing = keysOf(trust.roots)
    .map(keyIdOf)
    .filter(id => !signed.has(id))
  if (missing.length > 0)
    throw new RequestError(
      'invalid',
      `Every root key must sign the first version. Missing: ${missing.join(', ')}.`,
    )
  await updateTrust(tx, 1, JSON.stringify(writeEnvelope(envelope)))
  return trust
}

/** Verified as every device verifies it, so that nothing is stored that devices reject. */
async function accept(tx: Tx, team: Team, envelope: Envelope): Promise<TrustPayload> {
  const now = team.now()
  const old = await trustIn(tx)
  const { trust, refusal } = verifyTrustChain(old, '', [envelope])
  if (!trust || refusal)
    throw new RequestError('invalid', refusal?.message ?? 'The root metadata cannot be read.')
  if (!(await heldKey(tx, team.secrets, trust.lease_keys))) {
    throw new RequestError(
      'invalid',
      'It names no lease key of this server, and devices accept nothing without one.',
    )
  }
  await mustNotReturn(tx, old, trust)
  await addTrust(tx, trust.version, envelope, now)
  await storeKeys(tx, team, trust)
  if (old.release_keys.some(key => !trust.release_keys.includes(key))) await signAgain(tx, team, old, trust)
  return trust
}

/** A key that was valid before may be in other hands, whatever it was for. */
async function mustNotReturn(tx: Tx, old: TrustPayload, next: TrustPayload): Promise<void> {
  const rows = await allKeys(tx)
  const uses = [
    ['root', old.roots, next.roots],
    ['release', old.release_keys, next.release_keys],
    ['lease', old.lease_keys, next.lease_keys],
  ] as const
  for (const [use, before, after] of uses) {
    for (const key of after.filter(key => !before.includes(key))) {
      const row = rows.find(({ public_key }) => hex(public_key) === key)
      const isPrepared = row?.use === use && row.retired_at === null && row.private_key !== null
      if (row && !isPrepared)
        throw new RequestError('exists', `The team has used the key ${row.id} before. Create a new one.`)
    }
  }
}

async function storeKeys(tx: Tx, { secrets, now }: Team, trust: TrustPayload): Promise<void> {
  const uses: [TeamKeyRow['use'], readonly string[]][] = [
    ['root', trust.roots],
    ['release', trust.release_keys],
    ['lease', trust.lease_keys],
  ]
  const rows = await allKeys(tx)
  const known = new Set(rows.map(({ id }) => id))
  for (const [use, keys] of uses) {
    for (const publicKey of keysOf(keys)) {
      if (known.has(keyIdOf(publicKey))) continue
      known.add(keyIdOf(publicKey))
      await addKey(tx, secrets, now(), { use, publicKey, privateKey: null })
    }
  }
  const valid = new Set(uses.flatMap(([, keys]) => keys))
  for (const { id, public_key, retired_at } of rows) {
    if (retired_at !== null || valid.has(hex(public_key))) continue
    // This includes keys that were prepared for another proposal.
    await retireKey(tx, id, now())
  }
}

/**
 * Devices that join later accept only the new release key, so it also signs the releases that the keys before it signed. A
 * stored release that does not verify, or whose hash is another one, may have been changed in the database.
 */
async function signAgain(
  tx: Tx,
  { secrets, log }: Team,
  old: TrustPayload,
  trust: TrustPayload,
): Promise<void> {
  const key = await heldKey(tx, secrets, trust.release_keys)
  if (!key) return
  for (const row of await signedReleases(tx)) {
    const envelope = envelopeIn(row)
    const refusal = envelopeRejection(envelope, { type: 'release', keys: keysOf(old.release_keys) })
    if (refusal || sha256(envelope.payload) !== row.hash) {
      log.error('a stored release does not verify and is not signed again', { release: row.number })
      continue
    }
    const signature = signWith('release', envelope.payload, key.privateKey)
    await updateRelease(tx, row.number, { signatures: signaturesWith(envelope, signature) })
  }
}
