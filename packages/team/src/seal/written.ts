// A seal as JSON, for files and for one seal inside another: its payload as the bytes that came, in base64.

import type { Sealed, SealSignature } from './bytes.js'
import { LIMITS } from './limits.js'
import { fit, list, object, type Part, text } from './shape.js'

export interface WrittenSeal {
  readonly type: string
  readonly payload: string
  readonly signatures: readonly { readonly key_id: string; readonly value: string }[]
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const base64 = text('base64', value => BASE64.test(value))
const word = text('text', () => true)

export const writtenSeal: Part<WrittenSeal> = object({
  type: word,
  payload: base64,
  signatures: list(object({ key_id: word, value: base64 }), LIMITS.signatures),
})

export const writeSeal = ({ type, payload, signatures }: Sealed): WrittenSeal => ({
  type,
  payload: toBase64(payload),
  signatures: writeSignatures(signatures),
})

export const readSeal = ({ type, payload, signatures }: WrittenSeal): Sealed => ({
  type,
  payload: fromBase64(payload),
  signatures: readSignatures(signatures),
})

export const writeSignatures = (signatures: readonly SealSignature[]): WrittenSeal['signatures'] =>
  signatures.map(({ keyId, value }) => ({ key_id: keyId, value: toBase64(value) }))

export const readSignatures = (signatures: WrittenSeal['signatures']): SealSignature[] =>
  signatures.map(({ key_id, value }) => ({ keyId: key_id, value: fromBase64(value) }))

/** Of a file; what is no seal is none. */
export function parseSeal(bytes: Uint8Array): Sealed | undefined {
  const written = fit(writtenSeal, bytes, 'seal')
  return written.ok ? readSeal(written.value) : undefined
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const fromBase64 = (value: string) => new Uint8Array(Buffer.from(value, 'base64'))
