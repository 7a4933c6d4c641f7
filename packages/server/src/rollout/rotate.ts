// Changes of the team's keys. Only root metadata that enough root keys have signed changes them, and the server has none of
// these keys: it prepares keys of its own, verifies what was signed elsewhere, and stores it.

import {
  generateKeys,
  keyIdOf,
  keysOf,
  type Sealed,
  sealRefusal,
  sha256,
  signersOf,
  type TrustPayload,
  walkTrust,
  writeSeal,
} from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { Refusal } from '../refusal.js'
import type { Tx } from '../store/open.js'
import type { TeamKeyRow } from '../store/schema.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { addKey, addTrust, chainIn, firstTrust, heldKey, hex, signWith, trustIn } from './keys.js'
import { sealIn, signaturesWith } from './releases.js'

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
export async function submitTrust(team: Team, actor: Person, sealed: Sealed): Promise<number> {
  const now = team.now()
  const version = await team.store.write(async tx => {
    await oneAtATime(tx)
    const isFirst = (await chainIn(tx)).length === 0
    const next = isFirst ? await acceptFirst(tx, sealed) : await accept(tx, team, sealed)
    await append(tx, actor, now, {
      action: 'keys.trust',
      subject: `trust ${next.version}`,
      detail: { epoch: next.epoch, signed_by: sealed.signatures.map(({ keyId }) => keyId) },
    })
    return next.version
  })
  team.hub.changed('releases')
  return version
}

/** Each root key must sign, which proves that it exists and was written down correctly. */
async function acceptFirst(tx: Tx, sealed: Sealed): Promise<TrustPayload> {
  const first = await firstTrust(tx)
  const fingerprint = first ? sha256(first.payload) : ''
  const { trust, refusal } = walkTrust(undefined, fingerprint, [sealed])
  if (!trust || refusal) throw new Refusal('invalid', refusal?.message ?? 'The root metadata cannot be read.')
  const signed = signersOf(sealed, keysOf(trust.roots))
  const missing = keysOf(trust.roots)
    .map(keyIdOf)
    .filter(id => !signed.has(id))
  if (missing.length > 0)
    throw new Refusal(
      'invalid',
      `Every root key must sign the first version. Missing: ${missing.join(', ')}.`,
    )
  await tx
    .updateTable('trust')
    .set({ seal: JSON.stringify(writeSeal(sealed)) })
    .where('version', '=', 1)
    .execute()
  return trust
}

/** Verified as every device verifies it, so that nothing is stored that devices reject. */
async function accept(tx: Tx, team: Team, sealed: Sealed): Promise<TrustPayload> {
  const now = team.now()
  const old = await trustIn(tx)
  const { trust, refusal } = walkTrust(old, '', [sealed])
  if (!trust || refusal) throw new Refusal('invalid', refusal?.message ?? 'The root metadata cannot be read.')
  if (!(await heldKey(tx, team.secrets, trust.lease_keys))) {
    throw new Refusal(
      'invalid',
      'It names no lease key of this server, and devices accept nothing without one.',
    )
  }
  await mustNotReturn(tx, old, trust)
  await addTrust(tx, trust.version, sealed, now)
  await storeKeys(tx, team, trust)
  if (old.release_keys.some(key => !trust.release_keys.includes(key))) await signAgain(tx, team, old, trust)
  return trust
}

/** A key that was valid before may be in other hands, whatever it was for. */
async function mustNotReturn(tx: Tx, old: TrustPayload, next: TrustPayload): Promise<void> {
  const rows = await tx.selectFrom('team_keys').selectAll().execute()
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
        throw new Refusal('exists', `The team has had the key ${row.id} before. Make a new one.`)
    }
  }
}

async function storeKeys(tx: Tx, { secrets, now }: Team, trust: TrustPayload): Promise<void> {
  const uses: [TeamKeyRow['use'], readonly string[]][] = [
    ['root', trust.roots],
    ['release', trust.release_keys],
    ['lease', trust.lease_keys],
  ]
  const rows = await tx.selectFrom('team_keys').select(['id', 'public_key', 'retired_at']).execute()
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
    // A private key that is erased cannot be stolen. This includes keys that were prepared for another proposal.
    await tx
      .updateTable('team_keys')
      .set({ retired_at: now(), private_key: null })
      .where('id', '=', id)
      .execute()
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
  const rows = await tx
    .selectFrom('releases')
    .select(['number', 'payload', 'hash', 'signatures'])
    .where('signatures', '<>', '[]')
    .execute()
  for (const row of rows) {
    const sealed = sealIn(row)
    const refusal = sealRefusal(sealed, { type: 'release', keys: keysOf(old.release_keys) })
    if (refusal || sha256(sealed.payload) !== row.hash) {
      log.error('a stored release does not verify and is not signed again', { release: row.number })
      continue
    }
    const signature = signWith('release', sealed.payload, key.privateKey)
    await tx
      .updateTable('releases')
      .set({ signatures: signaturesWith(sealed, signature) })
      .where('number', '=', row.number)
      .execute()
  }
}
