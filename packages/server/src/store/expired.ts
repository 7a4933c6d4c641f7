// Deletes expired rows. None of them is needed for the history, which is in the audit log.

import { DAY_MS } from '../durations.js'
import type { Store } from './open.js'

const KEEP_REFUSED_MS = 90 * DAY_MS
/** The minimum interval of a message. */
const KEEP_TOLD_MS = 7 * DAY_MS
const MOST_REFUSED = 10_000
/** Kept for a while, so that a user of an expired link or token gets the reason. */
const KEEP_OVER_MS = 90 * DAY_MS

export async function deleteExpired({ db, kind }: Pick<Store, 'db' | 'kind'>, at: number): Promise<void> {
  // The library stores its times as text in SQLite, in a form that sorts.
  const moment = (kind === 'sqlite' ? new Date().toISOString() : new Date()) as Date
  for (const table of ['session', 'deviceCode', 'verification'] as const)
    await db.deleteFrom(table).where('expiresAt', '<', moment).execute()
  await db.deleteFrom('limits').where('expire', '<', Date.now()).execute()
  for (const [table, keptMs] of [
    ['told', KEEP_TOLD_MS],
    ['vouches', DAY_MS],
    ['refused_calls', KEEP_REFUSED_MS],
  ] as const)
    await db
      .deleteFrom(table)
      .where('at', '<', at - keptMs)
      .execute()
  for (const table of ['invites', 'tokens'] as const)
    await db
      .deleteFrom(table)
      .where('expires_at', '<', at - KEEP_OVER_MS)
      .execute()
  // A release that is complete replaces those before it, whose rings are no longer needed.
  await db
    .deleteFrom('ring_members')
    .where('release', '<', ({ selectFrom }) =>
      selectFrom('releases')
        .select(({ fn }) => fn.max<number>('releases.number').as('number'))
        .where('state', '=', 'done'),
    )
    .execute()
  const last = await db
    .selectFrom('refused_calls')
    .select('id')
    .orderBy('id', 'desc')
    .offset(MOST_REFUSED)
    .limit(1)
    .executeTakeFirst()
  if (last) await db.deleteFrom('refused_calls').where('id', '<=', last.id).execute()
}
