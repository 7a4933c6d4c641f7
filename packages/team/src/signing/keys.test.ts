import { createPublicKey, verify } from 'node:crypto'
import { envelopeRejection, keyIdOf, keyProblem, signersOf, toPublic } from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'
import { signEnvelope } from './envelope.js'
import { generateKeys, publicKeyOf, toPrivate } from './keys.js'
import { bytesOf } from './testing/team.js'

/** Small order, in every way to write it. */
const WEAK = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
].map(hex => new Uint8Array(Buffer.from(hex, 'hex')))

describe('keys', () => {
  it('are 32 bytes, there and back', () => {
    const { publicKey, privateKey } = generateKeys()
    expect(publicKey).toHaveLength(32)
    expect(privateKey).toHaveLength(32)
    expect(publicKeyOf(privateKey)).toEqual(publicKey)
    expect(createPublicKey(toPrivate(privateKey)).equals(toPublic(publicKey))).toBe(true)
    expect(keyProblem(publicKey)).toBeUndefined()
    expect(keyIdOf(publicKey)).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each(WEAK)('weak ones are refused: %#', key => expect(keyProblem(key)).toMatch(/weak|only form/))

  it.each([0, 31, 33])('of %i bytes are refused', length =>
    expect(keyProblem(new Uint8Array(length))).toMatch(/32 bytes/),
  )

  it("signatures under a weak key do not count, though Node's check takes them", () => {
    const identity = WEAK[2]!
    const value = new Uint8Array(64)
    value[0] = 1
    expect(verify(null, Buffer.from('anything'), toPublic(identity), value)).toBe(true)
    const forged = {
      type: 'release',
      payload: bytesOf('{}'),
      signatures: [{ keyId: keyIdOf(identity), value }],
    }
    expect(signersOf(forged, [identity]).size).toBe(0)
    expect(envelopeRejection(forged, { type: 'release', keys: [identity] })?.code).toBe('key')
  })

  it('one that signs twice is one signer', () => {
    const [one, other] = [generateKeys(), generateKeys()]
    const envelope = signEnvelope('trust', bytesOf('{}'), one.privateKey, one.privateKey, other.privateKey)
    const keys = [one.publicKey, one.publicKey, other.publicKey]
    expect(signersOf(envelope, keys).size).toBe(2)
    expect(signersOf(envelope, [one.publicKey]).size).toBe(1)
  })
})
