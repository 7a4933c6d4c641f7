// What ends soon, told before it ends: the newest release, which machines that lag behind could then not take, and the
// tokens that scripts of people still use. Device tokens and leases renew themselves, and so are no news.

import { DAY_MS } from '../durations.js'
import type { Team } from '../team.js'

export interface Expiring {
  /** The same name does not make two tokens one. */
  readonly id: string
  readonly what: 'release' | 'token'
  readonly name: string
  readonly expiresAt: number
  /** Whole days; 0 on the last one and after it. */
  readonly daysLeft: number
  /** One sentence: what it means, and what to do. */
  readonly message: string
}

const HOUR_MS = 3_600_000
const RELEASE_MS = 30 * DAY_MS
const TOKEN_MS = 14 * DAY_MS
/** Who has not used a token for so long does not miss it. */
const UNUSED_MS = 30 * DAY_MS
const MOST = 20

/** Whose: only the tokens of this person; otherwise everybody's. */
export async function expiringIn(team: Team, whose?: string): Promise<Expiring[]> {
  const [release, tokens] = await Promise.all([newestRelease(team), usedTokens(team, whose)])
  return [...release, ...tokens].sort((a, b) => a.expiresAt - b.expiresAt)
}

export async function newestRelease({ store, now }: Team, withinMs = RELEASE_MS): Promise<Expiring[]> {
  const newest = await store.db
    .selectFrom('releases')
    .select(['number', 'expires_at'])
    .where('state', 'in', ['rolling', 'done'])
    .orderBy('number', 'desc')
    .executeTakeFirst()
  if (!newest || newest.expires_at - now() > withinMs) return []
  const name = `release ${newest.number}`
  const when = whenOf(newest.expires_at, now())
  const message = `Machines cannot take ${name} any more ${when}; those that have it keep it. Publish, or roll back to ${newest.number} itself: both make a new release.`
  return [{ id: name, what: 'release', name, ...endOf(newest.expires_at, now()), message }]
}

async function usedTokens({ store, now }: Team, whose: string | undefined): Promise<Expiring[]> {
  const at = now()
  let query = store.db
    .selectFrom('tokens')
    .select(['id', 'name', 'created_at', 'expires_at'])
    .where('kind', '=', 'person')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .where('expires_at', '<=', at + TOKEN_MS)
    .where('last_used_at', '>', at - UNUSED_MS)
    .orderBy('expires_at')
    .limit(MOST)
  if (whose !== undefined) query = query.where('owner', '=', whose)
  const rows = await query.execute()
  // One that was made for a few days ends as it was meant to.
  return rows
    .filter(({ created_at, expires_at }) => expires_at - created_at > TOKEN_MS)
    .map(({ id, name, expires_at }) => ({
      id: `token ${id}`,
      what: 'token',
      name,
      ...endOf(expires_at, at),
      message: `The token "${name}" ends ${whenOf(expires_at, at)}. Make another one, and give it to whatever uses this one.`,
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
  /** One round, now. */
  look(): Promise<void>
  stop(): void
}

/** Each thing is said once a day, in the log of whichever server of the team looks first. */
export function startExpiryAlarm(team: Team): ExpiryAlarm {
  const look = async () => {
    for (const { id, what, name, expiresAt, daysLeft, message } of await expiringIn(team)) {
      if (!(await isNews(team, id))) continue
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

/** True for one of all who ask within a day, also after a restart. */
async function isNews({ store, now }: Team, what: string): Promise<boolean> {
  const at = now()
  const taken = await store.db
    .insertInto('told')
    .values({ what, at })
    .onConflict(conflict =>
      conflict
        .column('what')
        .doUpdateSet({ at })
        // Also when the clock was set back meanwhile.
        .where(({ eb, or }) => or([eb('told.at', '<=', at - DAY_MS), eb('told.at', '>', at)])),
    )
    .returning('what')
    .executeTakeFirst()
  return taken !== undefined
}
