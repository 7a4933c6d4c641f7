// A key on paper: groups of four letters and digits that are hard to confuse, with a checksum group at the end.

import { createHash } from 'node:crypto'
import { UsageError } from '../usage-error.js'

/** Without i, l, o and u. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

export function words(key: Uint8Array): string {
  return letters(Buffer.concat([key, sum(key)])).replace(/.{4}(?=.)/g, '$& ')
}

export function fromWords(text: string): Uint8Array {
  const plain = text.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replace(/o/g, '0')
  let bits = ''
  for (const letter of plain) {
    const value = LETTERS.indexOf(letter)
    if (value === -1)
      throw new UsageError(
        `it contains "${letter}", which is not a valid character. Check for mistyped characters.`,
      )
    bits += value.toString(2).padStart(5, '0')
  }
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  const key = bytes.subarray(0, 32)
  if (bytes.length !== 35 || !sum(key).equals(bytes.subarray(32))) {
    throw new UsageError('the checksum failed. Check for mistyped characters.')
  }
  return key
}

const sum = (key: Uint8Array): Buffer => createHash('sha256').update(key).digest().subarray(0, 3)

function letters(bytes: Uint8Array): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map(group => LETTERS[Number.parseInt(group, 2)]).join('')
}
