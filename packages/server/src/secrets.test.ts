import { describe, expect, it } from 'vitest'
import { openSecrets, secretOf } from './secrets.js'

const NONCE = 12
const TAG = 16
const secrets = openSecrets(Buffer.alloc(32, 7))
const plain = Buffer.from('a private key')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('an encrypted value', () => {
  it('decrypts to what it was, also when empty', () => {
    for (const bytes of [plain, Buffer.alloc(0)]) {
      expect(Buffer.from(secrets.decrypt(secrets.encrypt(bytes)))).toEqual(bytes)
    }
  })

  // Two values under one nonce reveal their difference, and the key that authenticates all others.
  it('has a nonce of its own, and so never looks the same twice', () => {
    const hidden = Array.from({ length: 100 }, () => Buffer.from(secrets.encrypt(plain)))
    expect(new Set(hidden.map(one => hex(one.subarray(0, NONCE)))).size).toBe(100)
    expect(new Set(hidden.map(one => hex(one.subarray(NONCE + TAG)))).size).toBe(100)
    expect(hex(openSecrets(Buffer.alloc(32, 7)).encrypt(plain))).not.toBe(hex(secrets.encrypt(plain)))
  })

  it('does not decrypt when a byte of its nonce, tag or text differs', () => {
    const hidden = secrets.encrypt(plain)
    expect(hidden).toHaveLength(NONCE + TAG + plain.length)
    for (let index = 0; index < hidden.length; index++) {
      const altered = new Uint8Array(hidden)
      altered[index]! ^= 1
      expect(() => secrets.decrypt(altered), `byte ${index}`).toThrow()
    }
  })

  it('does not decrypt when its end is missing, or more follows', () => {
    const hidden = secrets.encrypt(plain)
    for (let length = 0; length < hidden.length; length++) {
      expect(() => secrets.decrypt(hidden.subarray(0, length)), `${length} bytes`).toThrow()
    }
    expect(() => secrets.decrypt(Buffer.concat([hidden, Buffer.alloc(1)]))).toThrow()
  })

  it('does not decrypt under another secret', () => {
    expect(() => openSecrets(Buffer.alloc(32, 8)).decrypt(secrets.encrypt(plain))).toThrow()
  })
})

describe('the secret of a server', () => {
  it('derives the same value for a purpose, and another one for each purpose and secret', () => {
    const again = openSecrets(Buffer.alloc(32, 7))
    const other = openSecrets(Buffer.alloc(32, 8))
    expect(hex(secrets.derive('a'))).toBe(hex(again.derive('a')))
    const derived = [
      secrets.derive('a'),
      secrets.derive('b'),
      other.derive('a'),
      secrets.derive('keys at rest'),
    ]
    expect(new Set(derived.map(hex)).size).toBe(4)
  })

  it('has at least 32 bytes, in hex', () => {
    expect(() => openSecrets(Buffer.alloc(31))).toThrow('at least 32')
    expect(secretOf(`${'ab'.repeat(32)}\n`, 'it')).toHaveLength(32)
    for (const text of ['', 'ab'.repeat(31), `${'ab'.repeat(32)}c`, 'xy'.repeat(32)]) {
      expect(() => secretOf(text, 'It')).toThrow('64 hex digits')
    }
  })
})
