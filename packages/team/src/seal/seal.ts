// Signing. The engine contains the verification of signed envelopes, because it verifies them when it loads hooks.

import { sign as signWith } from 'node:crypto'
import { keyIdOf, type Sealed, type SealSignature, type SealType, signedBytes } from '@holdfast/hooks/team'
import { publicKeyOf, toPrivate } from './keys.js'

export function signPayload(type: SealType, payload: Uint8Array, privateKey: Uint8Array): SealSignature {
  const value = signWith(null, signedBytes(type, payload), toPrivate(privateKey))
  return { keyId: keyIdOf(publicKeyOf(privateKey)), value: new Uint8Array(value) }
}

export const seal = (type: SealType, payload: Uint8Array, ...privateKeys: readonly Uint8Array[]): Sealed => ({
  type,
  payload,
  signatures: privateKeys.map(key => signPayload(type, payload, key)),
})
