// How long records are kept, and the removal of older ones. Under a legal hold nothing is deleted. Permissions for
// both: approval/retention.ts.

import type { Person } from '../access/actor.js'
import type { Tx } from '../store/open.js'
import { putRecordDays, retentionIn } from '../store/retention.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'
import { append } from './chain.js'

const PAUSE_MS = 100

export async function applyRecordDays(
  team: Team,
  tx: Tx,
  by: Person | 'server',
  { before, after }: { before: number; after: number },
): Promise<void> {
  await putRecordDays(tx, after)
  await append(tx, by, team.now(), {
    action: 'records.retention',
    subject: `team ${team.id}`,
    detail: { before, after },
  })
}

/** By one process at a time, because it finishes interrupted work of others. */
export async function prepareRecords(team: Team): Promise<void> {
  await team.store.alone('retention', () => team.records.prepare(team.now()))
}

/** Piece by piece, with pauses for writers. */
export async function pruneRecords(team: Team, isStopped: () => boolean = () => false): Promise<void> {
  await team.store.alone('retention', async lost => {
    await team.store.write(async tx => {
      await oneAtATime(tx)
      const { recordDays: before, shortening } = await retentionIn(tx)
      if (!shortening || shortening.dueAt > team.now()) return
      await applyRecordDays(team, tx, 'server', { before, after: shortening.days })
    })
    const isHeld = async () => (await retentionIn(team.store.db)).hold !== null
    while (!isStopped() && !lost.aborted && !(await isHeld()) && (await team.records.prune(team.now()))) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  })
}
