// Signing, and the checks that every seal must pass before a byte of its payload is read.

import { sign as signWith, verify as verifyWith } from 'node:crypto'
import { type Sealed, type SealSignature, type SealType, signedBytes } from './bytes.js'
import { quote } from './json.js'
import { keyIdOf, keyProblem, publicKeyOf, toPrivate, toPublic } from './keys.js'
import { LIMITS } from './limits.js'
import type { Refusal, RefusalCode } from './refusals.js'

export function signPayload(type: SealType, payload: Uint8Array, privateKey: Uint8Array): SealSignature {
  const value = signWith(null, signedBytes(type, payload), toPrivate(privateKey))
  return { keyId: keyIdOf(publicKeyOf(privateKey)), value: new Uint8Array(value) }
}

export const seal = (type: SealType, payload: Uint8Array, ...privateKeys: readonly Uint8Array[]): Sealed => ({
  type,
  payload,
  signatures: privateKeys.map(key => signPayload(type, payload, key)),
})

/** The ids of those of the keys that signed. One that stands there twice is still one. */
export function signersOf(sealed: Sealed, keys: readonly Uint8Array[]): ReadonlySet<string> {
  const known = keysById(keys)
  return new Set(
    sealed.signatures
      .filter(({ keyId, value }) => isGood(sealed, known.get(keyId), value))
      .map(one => one.keyId),
  )
}

/** What a seal is held against. */
export interface Expected {
  readonly type: SealType
  readonly keys: readonly Uint8Array[]
}

interface SealCheck {
  readonly code: RefusalCode
  readonly problem: (sealed: Sealed, expected: Expected) => string | undefined
}

export const SEAL_CHECKS: readonly SealCheck[] = [
  {
    code: 'size',
    problem: ({ payload }, { type }) => {
      const most = LIMITS.payload[type]
      return payload.length > most
        ? `The ${type} has ${payload.length} bytes; at most ${most} are allowed.`
        : undefined
    },
  },
  {
    code: 'form',
    problem: ({ payload, signatures }, { type }) => {
      if (payload.length === 0) return `The ${type} is empty.`
      if (signatures.length === 0) return `The ${type} is not signed.`
      if (signatures.length > LIMITS.signatures) return `The ${type} has ${signatures.length} signatures.`
      const isWhole = signatures.every(
        ({ keyId, value }) => /^[0-9a-f]{32}$/.test(keyId) && value.length === 64,
      )
      return isWhole ? undefined : `A signature of the ${type} is not 64 bytes with the id of a key.`
    },
  },
  {
    code: 'type',
    problem: (sealed, { type }) =>
      sealed.type === type ? undefined : `The ${type} says that it is ${quote(sealed.type)}.`,
  },
  {
    code: 'key',
    problem: ({ signatures }, { type, keys }) => {
      const known = keysById(keys)
      if (signatures.some(({ keyId }) => known.has(keyId))) return undefined
      return `The ${type} is signed by ${signatures.map(({ keyId }) => keyId).join(', ')}, which may not sign it.`
    },
  },
  {
    code: 'signature',
    problem: (sealed, { type, keys }) => {
      const known = keysById(keys)
      // A key that is not known may be one of tomorrow or of yesterday; one that is known must not be wrong.
      const bad = sealed.signatures.find(
        ({ keyId, value }) => known.has(keyId) && !isGood(sealed, known.get(keyId), value),
      )
      return bad ? `The signature of the ${type} by ${bad.keyId} does not fit.` : undefined
    },
  },
]

export function sealRefusal(sealed: Sealed, expected: Expected): Refusal | undefined {
  for (const { code, problem } of SEAL_CHECKS) {
    const message = problem(sealed, expected)
    if (message !== undefined) return { code, message }
  }
  return undefined
}

const keysById = (keys: readonly Uint8Array[]): ReadonlyMap<string, Uint8Array> =>
  new Map(keys.filter(key => !keyProblem(key)).map(key => [keyIdOf(key), key]))

function isGood(sealed: Sealed, key: Uint8Array | undefined, value: Uint8Array): boolean {
  if (!key || value.length !== 64) return false
  try {
    return verifyWith(null, signedBytes(sealed.type, sealed.payload), toPublic(key), value)
  } catch {
    return false
  }
}
