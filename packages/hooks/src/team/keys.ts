// Public keys of Ed25519 as 32 bytes each, and the ones that must not be used.

import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

export const KEY_BYTES = 32
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** The first 16 bytes of the SHA-256 of the public key, in hex. */
export const keyIdOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 32)

export const toPublic = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, raw]), format: 'der', type: 'spki' })

const PRIME = 2n ** 255n - 19n
const ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n
/** The y of the eight points of small order; the sign of x is ignored. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, PRIME - 1n, ORDER_8, PRIME - ORDER_8])

/** Node accepts forged signatures under keys of small order, so these are rejected here. */
export function keyProblem(publicKey: Uint8Array): string | undefined {
  if (publicKey.length !== KEY_BYTES) return `a key has ${KEY_BYTES} bytes, and this one ${publicKey.length}`
  const y = BigInt(`0x${Buffer.from(publicKey).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  if (y >= PRIME) return 'the key is not written in its only form'
  return SMALL_ORDER.has(y) ? 'the key is weak: anyone can forge signatures under it' : undefined
}
