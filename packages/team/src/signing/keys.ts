// Ed25519 key pairs: creating them, and signing. Verification needs only the public key.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { KEY_BYTES } from '@holdfast/hooks/team'

export interface KeyPair {
  readonly publicKey: Uint8Array
  /** The seed. */
  readonly privateKey: Uint8Array
}

const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

export function generateKeys(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { publicKey: rawPublic(publicKey), privateKey: rawPrivate(privateKey) }
}

export const publicKeyOf = (privateKey: Uint8Array): Uint8Array =>
  rawPublic(createPublicKey(toPrivate(privateKey)))

export const toPrivate = (raw: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, raw]), format: 'der', type: 'pkcs8' })

export const rawPublic = (key: KeyObject): Uint8Array => tail(key.export({ format: 'der', type: 'spki' }))
export const rawPrivate = (key: KeyObject): Uint8Array => tail(key.export({ format: 'der', type: 'pkcs8' }))

const tail = (der: Buffer): Uint8Array => new Uint8Array(der.subarray(der.length - KEY_BYTES))
