// Signing. The engine contains the verification of signed envelopes, because it verifies them when it loads hooks.

import { type KeyObject, sign as signWith } from 'node:crypto'
import {
  type Envelope,
  type EnvelopeSignature,
  type EnvelopeType,
  keyIdOf,
  signedBytes,
} from '@holdfast/hooks/team'
import { publicKeyOf, toPrivate } from './keys.js'

/** Parsing a key and deriving its id costs several signatures, and a server signs a lease for every device. */
const parsed = new WeakMap<Uint8Array, { readonly key: KeyObject; readonly keyId: string }>()

export function signPayload(
  type: EnvelopeType,
  payload: Uint8Array,
  privateKey: Uint8Array,
): EnvelopeSignature {
  const known = parsed.get(privateKey)
  const { key, keyId } = known ?? { key: toPrivate(privateKey), keyId: keyIdOf(publicKeyOf(privateKey)) }
  if (!known) parsed.set(privateKey, { key, keyId })
  return { keyId, value: new Uint8Array(signWith(null, signedBytes(type, payload), key)) }
}

export const signEnvelope = (
  type: EnvelopeType,
  payload: Uint8Array,
  ...privateKeys: readonly Uint8Array[]
): Envelope => ({
  type,
  payload,
  signatures: privateKeys.map(key => signPayload(type, payload, key)),
})
