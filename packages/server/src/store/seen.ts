// When devices, members and tokens were last seen.

import type { Db } from './open.js'

export async function touchDevices(db: Db, ids: readonly string[], at: number): Promise<void> {
  await db.updateTable('devices').set({ last_seen_at: at }).where('id', 'in', ids).execute()
}

export async function touchMembers(db: Db, ids: readonly string[], at: number): Promise<void> {
  await db.updateTable('members').set({ last_seen_at: at }).where('user_id', 'in', ids).execute()
}

export async function touchTokens(db: Db, ids: readonly string[], at: number): Promise<void> {
  await db.updateTable('tokens').set({ last_used_at: at }).where('id', 'in', ids).execute()
}
