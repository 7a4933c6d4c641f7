// The team's keys, encrypted in the database or kept elsewhere, and the chain of root metadata, which says which of them
// are valid.

import {
  type Envelope,
  type EnvelopeType,
  fingerprintOf,
  keyIdOf,
  keyProblem,
  readEnvelope,
  signPayload,
  type TrustPayload,
  verifyTrustChain,
  writeEnvelope,
} from '@holdfast/team'
import { RequestError } from '../request-error.js'
import type { Secrets } from '../secrets.js'
import { allKeys, insertKey, insertTrust, trustEnvelopes } from '../store/keys.js'
import type { Db, Tx } from '../store/open.js'
import type { TeamKeyRow } from '../store/schema.js'

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export async function addKey(
  tx: Tx,
  secrets: Secrets,
  now: number,
  key: { use: TeamKeyRow['use']; publicKey: Uint8Array; privateKey: Uint8Array | null },
): Promise<void> {
  await insertKey(tx, {
    id: keyIdOf(key.publicKey),
    use: key.use,
    public_key: key.publicKey,
    private_key: key.privateKey && secrets.encrypt(key.privateKey),
    created_at: now,
    retired_at: null,
  })
}

export const addTrust = (tx: Tx, version: number, envelope: Envelope, at: number) =>
  insertTrust(tx, version, JSON.stringify(writeEnvelope(envelope)), at)

/** Signed versions only. */
export const chainIn = async (db: Db | Tx): Promise<Envelope[]> =>
  (await versionsIn(db)).filter(({ signatures }) => signatures.length > 0)

const versionsIn = async (db: Db | Tx): Promise<Envelope[]> =>
  (await trustEnvelopes(db)).map(seal => readEnvelope(JSON.parse(seal)))

/** The first version, which has no signatures until the root keys have signed it. */
export const firstTrust = async (db: Db | Tx): Promise<Envelope | undefined> => (await versionsIn(db))[0]

export const UNSIGNED_TEAM =
  'The root keys have not signed the keys of this team yet. Run "holdfast keys propose", sign with each root key, and submit.'

/** The newest root metadata. The chain is verified as a device would verify it. */
export async function trustIn(db: Db | Tx): Promise<TrustPayload> {
  const chain = await chainIn(db)
  if (chain.length === 0) throw new RequestError('not-now', UNSIGNED_TEAM)
  const { trust, refusal } = verifyTrustChain(undefined, chain[0] ? fingerprintOf(chain[0]) : '', chain)
  if (!trust || refusal) throw new Error(`the chain of trust is broken: ${refusal?.message ?? 'it is empty'}`)
  return trust
}

/** Null while the root keys have not signed the keys of a new team. */
export const trustIfSigned = async (db: Db | Tx): Promise<TrustPayload | null> =>
  (await firstTrust(db))?.signatures.length ? trustIn(db) : null

export interface HeldKey {
  /** In hex. */
  readonly publicKey: string
  readonly privateKey: Uint8Array
}

/** The first of these keys that is kept here; null when all are elsewhere. */
export async function heldKey(
  db: Db | Tx,
  secrets: Secrets,
  publicKeys: readonly string[],
): Promise<HeldKey | null> {
  const here = (await allKeys(db)).find(
    row => row.private_key !== null && publicKeys.includes(hex(row.public_key)),
  )
  if (!here) return null
  return { publicKey: hex(here.public_key), privateKey: secrets.decrypt(new Uint8Array(here.private_key!)) }
}

/** The key that signs here, or null if it is kept elsewhere. */
export async function signingKey(
  db: Db | Tx,
  secrets: Secrets,
  use: 'release' | 'lease',
): Promise<Uint8Array | null> {
  const trust = await trustIn(db)
  const counts = use === 'release' ? trust.release_keys : trust.lease_keys
  return (await heldKey(db, secrets, counts))?.privateKey ?? null
}

export const signWith = (type: EnvelopeType, payload: Uint8Array, key: Uint8Array) =>
  signPayload(type, payload, key)

export function requireSoundKey(publicKey: Uint8Array): void {
  const problem = keyProblem(publicKey)
  if (problem) throw new RequestError('invalid', `That key cannot be used: ${problem}.`)
}
