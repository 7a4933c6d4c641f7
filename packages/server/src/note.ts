// Notes of users about their actions. They are stored in the audit log and shown in lists, so their length is limited.

import { RequestError } from './request-error.js'

const LONGEST = 1000

export function toNote(field: string, text: string, longest = LONGEST): string {
  const note = text.trim()
  if (note.length <= longest) return note
  throw new RequestError('invalid', `${field} is longer than ${longest} characters. Shorten it.`)
}
