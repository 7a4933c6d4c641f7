// Hooks that were published and switched off. No release holds them, so nothing of this is signed; it is for clients of
// the original shape that ask for more than what is active.

import { isFor, LIMITS, type OperatingSystem, type TeamHook } from '@holdfast/team'
import { messageOf } from '../hooks/content.js'
import { publishedIn, scriptOf } from '../hooks/revisions.js'
import type { Db } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'

/** Beside the scripts of a release, which an answer holds twice. */
const MOST_BYTES = LIMITS.answer - 2 * LIMITS.scripts

/** As it was when this release was made, so that the answer changes only with the release. */
export async function inactiveHooks(
  db: Db,
  { number, at }: Pick<ReleaseRow, 'number' | 'at'>,
  system: OperatingSystem,
): Promise<TeamHook[]> {
  const rows = await db
    .selectFrom('revisions as newest')
    .selectAll('newest')
    .where('at', '<=', at)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('revisions as newer')
            .select('newer.number')
            .whereRef('newer.hook_id', '=', 'newest.hook_id')
            .whereRef('newer.number', '>', 'newest.number')
            .where('newer.at', '<=', at),
        ),
      ),
    )
    .where(
      'hook_id',
      'not in',
      db.selectFrom('release_hooks').select('hook_id').where('release', '=', number),
    )
    .orderBy('hook_id')
    .execute()
  const hooks: TeamHook[] = []
  let size = 0
  for (const row of rows) {
    const content = publishedIn(row)
    if (content.is_active || !isFor(content, system)) continue
    // They pile up, and an answer has an end.
    size += content.size ?? 0
    if (hooks.length === LIMITS.hooks || size > MOST_BYTES) break
    const script = await scriptOf(db, row.sha256)
    hooks.push(messageOf(content, { id: BigInt(row.hook_id), revision: row.number, script }))
  }
  return hooks
}
