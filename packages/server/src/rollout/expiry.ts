// Warns before something expires: the newest release, which outdated machines could then not take, and the tokens that
// scripts of people still use. Device tokens and leases renew themselves.

import { DAY_MS, HOUR_MS } from '../durations.js'
import { claimNotice } from '../store/notices.js'
import { newestOut } from '../store/releases.js'
import { expiringTokens } from '../store/tokens.js'
import type { Team } from '../team.js'

export interface Expiring {
  /** A name does not identify a token. */
  readonly id: string
  readonly what: 'release' | 'token'
  readonly name: string
  readonly expiresAt: number
  /** Whole days; 0 on the last one and after it. */
  readonly daysLeft: number
  /** One sentence: the consequence, and what to do. */
  readonly message: string
}

const RELEASE_MS = 30 * DAY_MS
const TOKEN_MS = 14 * DAY_MS
/** The expiry of an unused token needs no warning. */
const UNUSED_MS = 30 * DAY_MS
const MOST = 20

/** With the tokens of one person, or of all. */
export async function expiringIn(team: Team, whose?: string): Promise<Expiring[]> {
  const [release, tokens] = await Promise.all([newestRelease(team), usedTokens(team, whose)])
  return [...release, ...tokens].sort((a, b) => a.expiresAt - b.expiresAt)
}

export async function newestRelease({ store, now }: Team, withinMs = RELEASE_MS): Promise<Expiring[]> {
  const newest = await newestOut(store.db)
  if (!newest || newest.expires_at - now() > withinMs) return []
  const name = `release ${newest.number}`
  const when = whenOf(newest.expires_at, now())
  const message = `Machines can no longer install ${name} ${when}; those that have it keep it. Publish, or roll back to ${newest.number} itself: both make a new release.`
  return [{ id: name, what: 'release', name, ...endOf(newest.expires_at, now()), message }]
}

async function usedTokens({ store, now }: Team, whose: string | undefined): Promise<Expiring[]> {
  const at = now()
  const rows = await expiringTokens(store.db, {
    after: at,
    until: at + TOKEN_MS,
    usedAfter: at - UNUSED_MS,
    owner: whose,
    limit: MOST,
  })
  // A token that was created for a few days needs no warning.
  return rows
    .filter(({ created_at, expires_at }) => expires_at - created_at > TOKEN_MS)
    .map(({ id, name, expires_at }) => ({
      id: `token ${id}`,
      what: 'token',
      name,
      ...endOf(expires_at, at),
      message: `The token "${name}" expires ${whenOf(expires_at, at)}. Create another one for the scripts that use it.`,
    }))
}

const endOf = (expiresAt: number, now: number) => ({
  expiresAt,
  daysLeft: Math.max(0, Math.floor((expiresAt - now) / DAY_MS)),
})

function whenOf(expiresAt: number, now: number): string {
  const days = Math.floor((expiresAt - now) / DAY_MS)
  if (expiresAt <= now) return `since ${new Date(expiresAt).toISOString().slice(0, 10)}`
  return days === 0 ? 'within a day' : `in ${days} day${days === 1 ? '' : 's'}`
}

export interface ExpiryAlarm {
  /** Runs one round now. */
  look(): Promise<void>
  stop(): void
}

/** One server of the team logs each warning once a day. */
export function startExpiryAlarm(team: Team): ExpiryAlarm {
  const look = async () => {
    for (const { id, what, name, expiresAt, daysLeft, message } of await expiringIn(team)) {
      if (!(await claimNotice(team.store.db, id, team.now(), DAY_MS))) continue
      const facts = { what, name, expires_at: new Date(expiresAt).toISOString(), days_left: daysLeft }
      team.log.warn('something expires soon', { ...facts, advice: message })
    }
  }
  const round = () => {
    look().catch(error => team.log.error('looking for expiry failed', { error: (error as Error).message }))
  }
  round()
  const timer = setInterval(round, HOUR_MS).unref()
  return { look, stop: () => clearInterval(timer) }
}
