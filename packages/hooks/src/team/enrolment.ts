// Which team this machine belongs to, and the fingerprint that it pinned when it joined.

import type { Place } from './place.js'
import { readPlain } from './read.js'
import { fit, hex, object, type Part, teamId, text, time } from './shape.js'

export interface Enrolment {
  readonly server: string
  readonly team_id: string
  readonly team_name: string
  readonly device_id: string
  readonly token: string
  readonly token_from: string
  readonly token_until: string
  readonly fingerprint: string
  readonly group: string
  readonly enrolled_at: string
}

const word = text('text', () => true)
const enrolment: Part<Enrolment> = object({
  server: text('an address', isAddress),
  team_id: teamId,
  team_name: word,
  device_id: hex(32),
  token: word,
  token_from: time,
  token_until: time,
  fingerprint: hex(64),
  group: word,
  enrolled_at: time,
})

export function loadEnrolment(place: Pick<Place, 'enrolment'>): Enrolment | undefined {
  const file = readPlain(place.enrolment, 64 * 1024)
  const read = file && fit(enrolment, file, 'enrolment')
  return read?.ok ? read.value : undefined
}

export function isAddress(server: string): boolean {
  try {
    const { protocol, search, hash, username } = new URL(server)
    return /^https?:$/.test(protocol) && search + hash + username === ''
  } catch {
    return false
  }
}
