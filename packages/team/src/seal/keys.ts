// Keys of Ed25519 as 32 bytes each, and the ones that no one may use.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'

export interface KeyPair {
  readonly publicKey: Uint8Array
  /** The seed. */
  readonly privateKey: Uint8Array
}

export const KEY_BYTES = 32
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

export function generateKeys(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { publicKey: rawPublic(publicKey), privateKey: rawPrivate(privateKey) }
}

export const publicKeyOf = (privateKey: Uint8Array): Uint8Array =>
  rawPublic(createPublicKey(toPrivate(privateKey)))

/** The first 16 bytes of the SHA-256 of the public key, in hex. */
export const keyIdOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 32)

export const toPublic = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, raw]), format: 'der', type: 'spki' })

export const toPrivate = (raw: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, raw]), format: 'der', type: 'pkcs8' })

export const rawPublic = (key: KeyObject): Uint8Array => tail(key.export({ format: 'der', type: 'spki' }))
export const rawPrivate = (key: KeyObject): Uint8Array => tail(key.export({ format: 'der', type: 'pkcs8' }))

const tail = (der: Buffer): Uint8Array => new Uint8Array(der.subarray(der.length - KEY_BYTES))

const PRIME = 2n ** 255n - 19n
const ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n
/** The y of the eight points of small order; the sign of x is left aside. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, PRIME - 1n, ORDER_8, PRIME - ORDER_8])

/** Node's own check takes forged signatures under such keys for good ones. */
export function keyProblem(publicKey: Uint8Array): string | undefined {
  if (publicKey.length !== KEY_BYTES) return `a key has ${KEY_BYTES} bytes, and this one ${publicKey.length}`
  const y = BigInt(`0x${Buffer.from(publicKey).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  if (y >= PRIME) return 'the key is not written in its only form'
  return SMALL_ORDER.has(y) ? 'the key is weak: anyone can forge signatures under it' : undefined
}
