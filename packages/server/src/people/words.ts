// What people and devices may call themselves.

import { Refusal } from '../refusal.js'

const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/
const LONGEST_EMAIL = 254

/** Two spellings of one address are one address. */
export function toEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= LONGEST_EMAIL && EMAIL.test(email) && isPlain(email)) return email
  throw new Refusal('invalid', 'This is not an email address. Expected something like ann@example.com.')
}

/** One line of text that a page or a terminal can show. */
export function toLine(what: string, text: string, { longest = 100, empty = false } = {}): string {
  const line = text.trim()
  if (line === '' && !empty) throw new Refusal('invalid', `${what} is missing.`)
  if (line.length > longest) {
    throw new Refusal('invalid', `${what} is longer than ${longest} characters. Shorten it.`)
  }
  if (!isPlain(line))
    throw new Refusal('invalid', `${what} holds characters that cannot be shown. Remove them.`)
  return line
}

/** Without control characters, and without those that turn the direction of what follows. */
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)

const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 256

export function toPassword(text: string, email: string): string {
  if (text.length < SHORTEST_PASSWORD) {
    throw new Refusal('invalid', `The password is too short. Use ${SHORTEST_PASSWORD} characters or more.`)
  }
  if (text.length > LONGEST_PASSWORD) {
    throw new Refusal('invalid', `The password is longer than ${LONGEST_PASSWORD} characters. Shorten it.`)
  }
  if (text.toLowerCase() === email || new Set(text).size < 4) {
    throw new Refusal('invalid', 'The password is too easy to guess. Take another one.')
  }
  return text
}
