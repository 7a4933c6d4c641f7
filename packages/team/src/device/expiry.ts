// Parts of a team's state that expire soon on this machine, and should have been renewed.

import type { Enrolment, ReleasePayload } from '@holdfast/hooks/team'
import { DAY } from './waits.js'

export interface Expiring {
  readonly what: 'token' | 'lease' | 'release'
  readonly until: string
  /** Whole days; 0 on the last one and after it. */
  readonly daysLeft: number
  readonly isOver: boolean
}

/**
 * A token is renewed when a third of its 90 days is left, a lease of 7 days when half of it is: below these the server has
 * not responded for a while. A release lasts as long as its signer chose, for example a year.
 */
const NEAR_MS = { token: 14 * DAY, lease: 2 * DAY, release: 30 * DAY } as const

export function expiringOf(
  { token_until }: Pick<Enrolment, 'token_until'>,
  leasedUntil: string | null,
  release: Pick<ReleasePayload, 'expires_at'> | undefined,
  now: number,
): Expiring[] {
  const ends = { token: token_until, lease: leasedUntil, release: release?.expires_at }
  return (Object.keys(NEAR_MS) as (keyof typeof NEAR_MS)[]).flatMap(what => {
    const until = ends[what]
    if (!until) return []
    const left = Date.parse(until) - now
    const daysLeft = Math.max(0, Math.floor(left / DAY))
    return left < NEAR_MS[what] ? [{ what, until, daysLeft, isOver: left < 0 }] : []
  })
}
