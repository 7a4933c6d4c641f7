// The row of the team: its settings, its kill switch, how long it keeps records.

import type { Insertable } from 'kysely'
import type { Db, Tx } from './open.js'
import type { TeamRow, TeamTable } from './schema.js'

export const findTeam = (db: Db | Tx): Promise<TeamRow | undefined> =>
  db.selectFrom('team').selectAll().executeTakeFirst()

/** Unless there is one. */
export const insertTeam = (tx: Tx, row: Insertable<TeamTable>) =>
  tx
    .insertInto('team')
    .values(row)
    .onConflict(conflict => conflict.column('one').doNothing())
    .execute()

export interface RingSetting {
  readonly name: string
  /** Of all devices, with those of the rings before it. */
  readonly share: number
}

export interface Settings {
  readonly rings: readonly RingSetting[]
  readonly soakMinutes: number
  readonly failureLimit: number
  readonly denialLimit: number
  readonly releaseDays: number
  readonly revertDepth: number
  readonly records: 'managed' | 'all'
  readonly fourEyes: boolean
}

export async function settingsIn(db: Db | Tx): Promise<Settings> {
  const { rollout } = await db.selectFrom('team').select('rollout').executeTakeFirstOrThrow()
  return JSON.parse(rollout)
}

export const saveSettings = (tx: Tx, settings: Settings) =>
  tx
    .updateTable('team')
    .set({ rollout: JSON.stringify(settings) })
    .execute()

export async function killSwitch(db: Db | Tx): Promise<{ isOn: boolean; reason: string }> {
  const row = await db.selectFrom('team').select(['killed', 'killed_because']).executeTakeFirstOrThrow()
  return { isOn: row.killed === 1, reason: row.killed_because }
}

export const saveKillSwitch = (tx: Tx, isOn: boolean, reason: string) =>
  tx
    .updateTable('team')
    .set({ killed: isOn ? 1 : 0, killed_because: isOn ? reason : '' })
    .execute()

/**
 * Serialises changes that depend on existing data: a read after it stays valid until the end of the transaction. A file has
 * one writer anyway; in PostgreSQL two readers of the same state would both continue from it, and one change would be lost.
 */
export async function oneAtATime(tx: Tx): Promise<void> {
  await tx
    .updateTable('team')
    .set({ one: eb => eb.ref('one') })
    .execute()
}
