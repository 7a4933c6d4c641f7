// What people say about what they do. It goes into the chain and into lists, so it has an end.

import { Refusal } from './refusal.js'

const LONGEST = 1000

export function toNote(field: string, text: string, longest = LONGEST): string {
  const note = text.trim()
  if (note.length <= longest) return note
  throw new Refusal('invalid', `${field} is longer than ${longest} characters. Shorten it.`)
}
