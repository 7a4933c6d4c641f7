// The team's keys, encrypted in the database or kept elsewhere, and the chain of root metadata, which says which of them
// are valid.

import {
  fingerprintOf,
  keyIdOf,
  keyProblem,
  readSeal,
  type Sealed,
  type SealType,
  signPayload,
  type TrustPayload,
  walkTrust,
  writeSeal,
} from '@holdfast/team'
import { Refusal } from '../refusal.js'
import type { Secrets } from '../secrets.js'
import type { Db, Tx } from '../store/open.js'
import type { TeamKeyRow } from '../store/schema.js'

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export async function addKey(
  tx: Tx,
  secrets: Secrets,
  now: number,
  key: { use: TeamKeyRow['use']; publicKey: Uint8Array; privateKey: Uint8Array | null },
): Promise<void> {
  await tx
    .insertInto('team_keys')
    .values({
      id: keyIdOf(key.publicKey),
      use: key.use,
      public_key: key.publicKey,
      private_key: key.privateKey && secrets.hide(key.privateKey),
      created_at: now,
      retired_at: null,
    })
    .execute()
}

export const addTrust = (tx: Tx, version: number, sealed: Sealed, at: number) =>
  tx
    .insertInto('trust')
    .values({ version, seal: JSON.stringify(writeSeal(sealed)), at })
    .execute()

/** Signed versions only. */
export async function chainIn(db: Db | Tx, above = 0): Promise<Sealed[]> {
  const rows = await db
    .selectFrom('trust')
    .select('seal')
    .where('version', '>', above)
    .orderBy('version')
    .execute()
  return rows.map(row => readSeal(JSON.parse(row.seal))).filter(({ signatures }) => signatures.length > 0)
}

/** The first version, which has no signatures until the root keys have signed it. */
export async function firstTrust(db: Db | Tx): Promise<Sealed | undefined> {
  const row = await db.selectFrom('trust').select('seal').where('version', '=', 1).executeTakeFirst()
  return row && readSeal(JSON.parse(row.seal))
}

export const UNSIGNED_TEAM =
  'The root keys have not signed the keys of this team yet. Run "holdfast keys propose", sign with each root key, and submit.'

/** The newest root metadata. The chain is verified as a device would verify it. */
export async function trustIn(db: Db | Tx): Promise<TrustPayload> {
  const chain = await chainIn(db)
  if (chain.length === 0) throw new Refusal('not-now', UNSIGNED_TEAM)
  const { trust, refusal } = walkTrust(undefined, chain[0] ? fingerprintOf(chain[0]) : '', chain)
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
  const rows = await db.selectFrom('team_keys').select(['public_key', 'private_key']).execute()
  const here = rows.find(row => row.private_key !== null && publicKeys.includes(hex(row.public_key)))
  if (!here) return null
  return { publicKey: hex(here.public_key), privateKey: secrets.show(new Uint8Array(here.private_key!)) }
}

/** The key that signs here, or null when it is kept elsewhere. */
export async function signingKey(
  db: Db | Tx,
  secrets: Secrets,
  use: 'release' | 'lease',
): Promise<Uint8Array | null> {
  const trust = await trustIn(db)
  const counts = use === 'release' ? trust.release_keys : trust.lease_keys
  return (await heldKey(db, secrets, counts))?.privateKey ?? null
}

export const signWith = (type: SealType, payload: Uint8Array, key: Uint8Array) =>
  signPayload(type, payload, key)

export function requireSoundKey(publicKey: Uint8Array): void {
  const problem = keyProblem(publicKey)
  if (problem) throw new Refusal('invalid', `That key cannot be used: ${problem}.`)
}
