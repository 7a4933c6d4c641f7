// A renewed token takes the place of the old one when it is first used: a device that lost it on the way still has the
// old one.

import type { Team } from '../team.js'

/** False when a still newer token was used in the meantime. */
export async function promote(
  { store, hub, now }: Team,
  deviceId: string,
  tokenId: string,
): Promise<boolean> {
  const isDone = await store.write(async tx => {
    // The device's row first: of two tokens that are first used together, one waits.
    await tx
      .updateTable('devices')
      .set({ state: eb => eb.ref('state') })
      .where('id', '=', deviceId)
      .execute()
    const token = await tx
      .selectFrom('tokens')
      .select(['created_at'])
      .where('id', '=', tokenId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (!token) return false
    await tx.updateTable('devices').set({ token_id: tokenId }).where('id', '=', deviceId).execute()
    await tx
      .updateTable('tokens')
      .set({ revoked_at: now() })
      .where('kind', '=', 'device')
      .where('owner', '=', deviceId)
      .where('id', '<>', tokenId)
      .where('created_at', '<=', token.created_at)
      .where('revoked_at', 'is', null)
      .execute()
    return true
  })
  hub.changed('tokens', deviceId)
  return isDone
}
