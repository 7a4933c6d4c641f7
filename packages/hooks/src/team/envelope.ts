// A signed envelope: the bytes that are signed, its form as JSON, and the checks that it must pass before a byte of its
// payload is read.

import { createHash, createPublicKey, type KeyObject, verify as verifyWith } from 'node:crypto'
import { quote } from '../config/json.js'
import { exactly, fit, list, text, type Value } from './shape.js'

const KIB = 1024
const MIB = 1024 * KIB

/** Checked before anything is read. */
export const LIMITS = {
  payload: { trust: 64 * KIB, release: MIB, lease: 64 * KIB, head: 4 * KIB },
  signatures: 16,
  trustVersions: 1024,
  hooks: 500,
  /** Of a hook, in characters. */
  prompt: 100_000,
  matcher: 10_000,
  name: 200,
  script: MIB,
  scripts: 16 * MIB,
  /** A complete response: release, scripts and root metadata. */
  answer: 24 * MIB,
} as const

/** Of a public key of Ed25519. */
export const KEY_BYTES = 32
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** The first 16 bytes of the SHA-256 of the public key, in hex. */
export const keyIdOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 32)

export const toPublic = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, raw]), format: 'der', type: 'spki' })

/** Hashes of the key, signature and bytes of good signatures, so that a reload of the same files verifies nothing again. */
const good = new Set<string>()
const MOST_GOOD = 256

const PRIME = 2n ** 255n - 19n
const WITHOUT_SIGN = 2n ** 255n - 1n
const ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n
/** The y of the eight points of small order; the sign of x is ignored. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, PRIME - 1n, ORDER_8, PRIME - ORDER_8])

/** Node accepts forged signatures under keys of small order, so these are rejected here. */
export function keyProblem(publicKey: Uint8Array): string | undefined {
  if (publicKey.length !== KEY_BYTES) return `a key has ${KEY_BYTES} bytes, and this one ${publicKey.length}`
  const y = BigInt(`0x${Buffer.from(publicKey).reverse().toString('hex')}`) & WITHOUT_SIGN
  if (y >= PRIME) return 'the key is not written in its only form'
  return SMALL_ORDER.has(y) ? 'the key is weak: anyone can forge signatures under it' : undefined
}

const SCHEME = Buffer.from('holdfast/v1\0')

export type EnvelopeType = 'trust' | 'release' | 'lease' | 'head'

/** The message of the API has the same shape. */
export interface Envelope {
  readonly type: string
  readonly payload: Uint8Array
  readonly signatures: readonly EnvelopeSignature[]
}

export interface EnvelopeSignature {
  readonly keyId: string
  readonly value: Uint8Array
}

export function signedBytes(type: string, payload: Uint8Array): Buffer {
  const name = Buffer.from(type)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(name.length)
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(payload.length))
  return Buffer.concat([SCHEME, head, name, length, payload])
}

/** In hex. The hash of a release in a lease is this hash of its payload. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The ids of the keys that signed, each once. */
export function signersOf(envelope: Envelope, keys: readonly Uint8Array[]): ReadonlySet<string> {
  const known = keysById(keys)
  return new Set(
    envelope.signatures
      .filter(({ keyId, value }) => isGood(envelope, known.get(keyId), value))
      .map(one => one.keyId),
  )
}

/** What an envelope must match. */
export interface Expected {
  readonly type: EnvelopeType
  readonly keys: readonly Uint8Array[]
  /** Keys whose signatures on this envelope are verified already. */
  readonly verified?: readonly Uint8Array[]
}

/** Why an envelope or root metadata is rejected. */
export type EnvelopeCode = 'size' | 'form' | 'type' | 'key' | 'signature' | 'team' | 'trust'

export interface EnvelopeRefusal {
  readonly code: EnvelopeCode
  readonly message: string
}

interface EnvelopeCheck {
  readonly code: EnvelopeCode
  readonly problem: (envelope: Envelope, expected: Expected) => string | undefined
}

export const ENVELOPE_CHECKS: readonly EnvelopeCheck[] = [
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
    problem: (envelope, { type }) =>
      envelope.type === type ? undefined : `The ${type} says that it is ${quote(envelope.type)}.`,
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
    problem: (envelope, { type, keys, verified = [] }) => {
      const done = keysById(verified)
      const known = keysById(keys.filter(key => !done.has(keyIdOf(key))))
      // A key that is not known may belong to another version of the root metadata.
      const bad = envelope.signatures.find(
        ({ keyId, value }) => known.has(keyId) && !isGood(envelope, known.get(keyId), value),
      )
      return bad ? `The signature of the ${type} by ${bad.keyId} does not fit.` : undefined
    },
  },
]

export function envelopeRejection(envelope: Envelope, expected: Expected): EnvelopeRefusal | undefined {
  for (const { code, problem } of ENVELOPE_CHECKS) {
    const message = problem(envelope, expected)
    if (message !== undefined) return { code, message }
  }
  return undefined
}

const keysById = (keys: readonly Uint8Array[]): ReadonlyMap<string, Uint8Array> =>
  new Map(keys.filter(key => !keyProblem(key)).map(key => [keyIdOf(key), key]))

function isGood(envelope: Envelope, key: Uint8Array | undefined, value: Uint8Array): boolean {
  if (!key || value.length !== 64) return false
  const bytes = signedBytes(envelope.type, envelope.payload)
  const id = createHash('sha256').update(key).update(value).update(bytes).digest('hex')
  if (good.has(id)) return true
  try {
    if (!verifyWith(null, bytes, toPublic(key), value)) return false
  } catch {
    return false
  }
  if (good.size >= MOST_GOOD) good.clear()
  good.add(id)
  return true
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const base64 = text('base64', value => BASE64.test(value))
const word = text('text', () => true)

export const writtenEnvelope = exactly({
  type: word,
  payload: base64,
  signatures: list(exactly({ key_id: word, value: base64 }), LIMITS.signatures),
})

export type WrittenEnvelope = Value<typeof writtenEnvelope>

export const writeEnvelope = ({ type, payload, signatures }: Envelope): WrittenEnvelope => ({
  type,
  payload: toBase64(payload),
  signatures: writeSignatures(signatures),
})

export const readEnvelope = ({ type, payload, signatures }: WrittenEnvelope): Envelope => ({
  type,
  payload: fromBase64(payload),
  signatures: readSignatures(signatures),
})

export const writeSignatures = (signatures: readonly EnvelopeSignature[]): WrittenEnvelope['signatures'] =>
  signatures.map(({ keyId, value }) => ({ key_id: keyId, value: toBase64(value) }))

export const readSignatures = (signatures: WrittenEnvelope['signatures']): EnvelopeSignature[] =>
  signatures.map(({ key_id, value }) => ({ keyId: key_id, value: fromBase64(value) }))

/** Undefined if the bytes are not an envelope. */
export function parseEnvelope(bytes: Uint8Array): Envelope | undefined {
  const written = fit(writtenEnvelope, bytes, 'seal')
  return written.ok ? readEnvelope(written.value) : undefined
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const fromBase64 = (value: string) => new Uint8Array(Buffer.from(value, 'base64'))
