import { describe, expect, it } from 'vitest'
import { fits, mint, read, sha256 } from './token.js'

describe('a token', () => {
  it('has an id and a secret of its own', () => {
    const minted = Array.from({ length: 100 }, () => mint('hfd'))
    expect(new Set(minted.map(({ id }) => id)).size).toBe(100)
    expect(new Set(minted.map(({ hash }) => hash)).size).toBe(100)
    expect(new Set(minted.map(({ text }) => text.reveal().split('_')[2])).size).toBe(100)
    expect(mint('hfd').text.reveal()).toMatch(/^hfd_[0-9a-f]{16}_[0-9a-f]{64}$/)
  })

  it('is recognised by its secret alone', () => {
    const { id, hash, text } = mint('hfp')
    const shown = read(text.reveal())!
    expect(shown).toMatchObject({ prefix: 'hfp', id, fingerprint: '' })
    expect(fits(shown.secret, hash)).toBe(true)
    expect(fits(shown.secret, Buffer.from(hash, 'hex'))).toBe(true)
    for (const other of [mint('hfp').hash, '', hash.slice(2), `${hash}00`, id]) {
      expect(fits(shown.secret, other), other).toBe(false)
    }
    expect(sha256(shown.secret.reveal()).toString('hex')).toBe(hash)
  })

  it('does not show its secret when logged', () => {
    const { text } = mint('hfp')
    for (const shown of [`${text}`, JSON.stringify({ text }), JSON.stringify(read(text.reveal()))]) {
      expect(shown).not.toContain(text.reveal().split('_')[2])
    }
  })

  it.each([
    ['nothing', () => ''],
    ['another prefix', (text: string) => text.replace('hfp', 'hfx')],
    ['a short secret', (text: string) => text.slice(0, -1)],
    ['a long secret', (text: string) => `${text}0`],
    ['capital letters', (text: string) => text.toUpperCase()],
    ['something before it', (text: string) => ` ${text}`],
    ['something behind it', (text: string) => `${text}\n`],
    ['half a fingerprint', (text: string) => `${text}_${'0'.repeat(63)}`],
    ['two fingerprints', (text: string) => `${text}_${'0'.repeat(64)}_${'0'.repeat(64)}`],
  ])('with %s is none', (_, alter) => {
    expect(read(alter(mint('hfp').text.reveal()))).toBeNull()
  })
})
