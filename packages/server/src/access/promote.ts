// A renewed token replaces the old one at its first use: a device that never received it still has the old one.

import type { Team } from '../team.js'

/** False if a newer token was used in the meantime. */
export async function promote(
  { store, hub, now }: Team,
  deviceId: string,
  tokenId: string,
): Promise<boolean> {
  const isDone = await store.write(async tx => {
    // Locks the row of the device first, so that of two tokens with a simultaneous first use, one waits.
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
