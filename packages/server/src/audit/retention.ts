// How long records are kept.

import type { Person } from '../access/actor.js'
import { Refusal } from '../refusal.js'
import type { Team } from '../team.js'
import { append } from './chain.js'

const MOST_DAYS = 3650
const PAUSE_MS = 100

export async function recordDays({ store }: Team): Promise<number> {
  const { record_days: days } = await store.db
    .selectFrom('team')
    .select('record_days')
    .executeTakeFirstOrThrow()
  return days
}

export async function setRecordDays(team: Team, actor: Person, days: number): Promise<number> {
  if (days < 1 || days > MOST_DAYS) {
    throw new Refusal('invalid', `record_days is ${days}; expected 1 to ${MOST_DAYS}.`)
  }
  await team.store.write(async tx => {
    const { record_days: before } = await tx
      .selectFrom('team')
      .select('record_days')
      .executeTakeFirstOrThrow()
    await tx.updateTable('team').set({ record_days: days }).execute()
    await append(tx, actor, team.now(), {
      action: 'records.retention',
      subject: `team ${team.id}`,
      detail: { before, after: days },
    })
  })
  return days
}

/** By one process at a time, as it ends what one that is no more has begun. */
export async function prepareRecords(team: Team): Promise<void> {
  await team.store.alone('retention', () => team.records.prepare(team.now()))
}

/** Piece by piece, with room in between for those who write. */
export async function pruneRecords(team: Team, isStopped: () => boolean = () => false): Promise<void> {
  await team.store.alone('retention', async lost => {
    while (!isStopped() && !lost.aborted && (await team.records.prune(team.now()))) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  })
}
