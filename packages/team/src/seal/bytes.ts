// What exactly is signed: a name for the scheme, the type and the payload, each with its length, so that no bytes can
// be read as those of another type.

import { createHash } from 'node:crypto'

const SCHEME = Buffer.from('holdfast/v1\0')

export type SealType = 'trust' | 'release' | 'lease' | 'head'

/** A seal as it travels. The message of the API has this shape, too. */
export interface Sealed {
  readonly type: string
  readonly payload: Uint8Array
  readonly signatures: readonly SealSignature[]
}

export interface SealSignature {
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

/** In hex. What a lease calls the hash of a release is this one, of its payload. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
