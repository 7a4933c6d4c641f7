import { describe, expect, it } from 'vitest'
import { toEmail, toLine, toPassword } from './words.js'

/** Each would change how the rest of a line looks, or end it. */
const HIDDEN = [
  '\0',
  '\x1b',
  '\x7f',
  '\x9b',
  '\ud800',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
]

describe('an email address', () => {
  it('is trimmed and in lower case', () => {
    expect(toEmail(' Ann@Example.COM\n')).toBe('ann@example.com')
  })

  it('has at most 254 characters', () => {
    expect(toEmail(`${'a'.repeat(242)}@example.com`)).toHaveLength(254)
    expect(() => toEmail(`${'a'.repeat(243)}@example.com`)).toThrow('not an email address')
  })

  it.each([
    ['', 'ann', '@example.com', 'ann@', 'ann@b@c', 'a nn@example.com', 'ann@exam ple.com', 'ann@b\nc'],
    [...'<>()[],;:\\"'].map(letter => `a${letter}nn@example.com`),
    [...'<>()[],;:\\"'].map(letter => `ann@exam${letter}ple.com`),
    HIDDEN.map(letter => `a${letter}nn@example.com`),
  ])('is not one of %j', (...texts) => {
    for (const text of texts.flat()) expect(() => toEmail(text), JSON.stringify(text)).toThrow('not an email')
  })
})

describe('a line', () => {
  it('is trimmed, and may be empty where that is allowed', () => {
    expect(toLine('The name', ' Ann Lee ')).toBe('Ann Lee')
    expect(toLine('The name', '  ', { empty: true })).toBe('')
    expect(() => toLine('The name', '  ')).toThrow('The name is missing.')
  })

  it('has an end', () => {
    expect(toLine('The name', 'x'.repeat(100))).toHaveLength(100)
    expect(() => toLine('The name', 'x'.repeat(101))).toThrow('longer than 100')
    expect(() => toLine('The name', 'x'.repeat(61), { longest: 60 })).toThrow('longer than 60')
  })

  it('holds no characters that cannot be shown', () => {
    for (const letter of [...HIDDEN, '\n', '\t'])
      expect(() => toLine('The name', `a${letter}b`), JSON.stringify(letter)).toThrow('cannot be displayed')
    expect(toLine('The name', 'Zoë 李 🙂')).toBe('Zoë 李 🙂')
  })
})

describe('a password', () => {
  const email = 'ann.lee@example.com'

  it('has 12 to 256 characters', () => {
    for (const text of ['abcdabcdabcd', 'abcd'.repeat(64)]) expect(toPassword(text, email)).toBe(text)
    expect(() => toPassword('abcdabcdabc', email)).toThrow('too short')
    expect(() => toPassword(`${'abcd'.repeat(64)}e`, email)).toThrow('longer than 256')
  })

  it('is not the email address, nor made of three letters', () => {
    for (const text of [email, 'Ann.Lee@Example.com', 'abcabcabcabc', 'aaaaaaaaaaaa'])
      expect(() => toPassword(text, email), text).toThrow('too easy to guess')
  })
})
