// Valid names of users and devices.

import { RequestError } from '../request-error.js'

const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/
const LONGEST_EMAIL = 254

/** Two spellings of one address are one address. */
export function toEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= LONGEST_EMAIL && EMAIL.test(email) && isPlain(email)) return email
  throw new RequestError('invalid', 'This is not an email address. Expected something like ann@example.com.')
}

/** One line of text that a page or a terminal can show. */
export function toLine(what: string, text: string, { longest = 100, empty = false } = {}): string {
  const line = text.trim()
  if (line === '' && !empty) throw new RequestError('invalid', `${what} is missing.`)
  if (line.length > longest) {
    throw new RequestError('invalid', `${what} is longer than ${longest} characters. Shorten it.`)
  }
  if (!isPlain(line))
    throw new RequestError('invalid', `${what} contains characters that cannot be displayed. Remove them.`)
  return line
}

/** Without control characters and marks that change the text direction. */
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)

const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 256

export function toPassword(text: string, email: string): string {
  if (text.length < SHORTEST_PASSWORD) {
    throw new RequestError(
      'invalid',
      `The password is too short. Use ${SHORTEST_PASSWORD} characters or more.`,
    )
  }
  if (text.length > LONGEST_PASSWORD) {
    throw new RequestError(
      'invalid',
      `The password is longer than ${LONGEST_PASSWORD} characters. Shorten it.`,
    )
  }
  if (text.toLowerCase() === email || new Set(text).size < 4) {
    throw new RequestError('invalid', 'The password is too easy to guess. Choose another one.')
  }
  return text
}
