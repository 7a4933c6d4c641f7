// Log entries of one server of the team, so that no other server logs it again for a while.

import type { Db } from './open.js'

/** True for one of all callers within this time, also after a restart. */
export async function claimNotice(db: Db, what: string, at: number, forMs: number): Promise<boolean> {
  const claimed = await db
    .insertInto('told')
    .values({ what, at })
    .onConflict(conflict =>
      conflict
        .column('what')
        .doUpdateSet({ at })
        // Also when the clock was set back in the meantime.
        .where(({ eb, or }) => or([eb('told.at', '<=', at - forMs), eb('told.at', '>', at)])),
    )
    .returning('what')
    .executeTakeFirst()
  return claimed !== undefined
}
