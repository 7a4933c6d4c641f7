// The text of the next release with these hooks, or why there cannot be one. Publishing makes it, and whoever checks a
// draft before: so both find the same.

import {
  LIMITS,
  type ReleasePayload,
  readRelease,
  type SignedHook,
  scriptNamesProblem,
  writeRelease,
} from '@holdfast/team'
import { DAY_MS } from '../durations.js'
import { Refusal } from '../refusal.js'
import type { Db, Tx } from '../store/open.js'
import type { Team } from '../team.js'
import { trustIn } from './keys.js'
import { settingsIn } from './settings.js'

export async function makeRelease(
  db: Db | Tx,
  { id, now }: Pick<Team, 'id' | 'now'>,
  some: readonly SignedHook[],
): Promise<{ readonly release: ReleasePayload; readonly payload: Uint8Array }> {
  const settings = await settingsIn(db)
  const trust = await trustIn(db)
  const before = await db
    .selectFrom('releases')
    .select(['number', 'hash', 'state'])
    .orderBy('number', 'desc')
    .execute()
  const hooks = [...some].sort((a, b) => a.id - b.id)
  mustFit(hooks)
  const at = now()
  const release: ReleasePayload = {
    team_id: id,
    epoch: trust.epoch,
    release: (before[0]?.number ?? 0) + 1,
    trust_version: trust.version,
    issued_at: new Date(at).toISOString(),
    expires_at: new Date(at + settings.releaseDays * DAY_MS).toISOString(),
    records: settings.records,
    hooks,
    may_revert_to: before
      .filter(({ state }) => state === 'rolling' || state === 'done')
      .slice(0, settings.revertDepth)
      .map(({ hash }) => hash)
      .sort(),
  }
  const payload = writeRelease(release)
  if (payload.length > LIMITS.payload.release) {
    throw new Refusal(
      'too-much',
      `The release would have ${payload.length} bytes; at most ${LIMITS.payload.release}.`,
    )
  }
  // What no device could read, nobody could ever build upon either.
  const read = readRelease(payload)
  if (!read.ok) throw new Refusal('invalid', read.message)
  return { release, payload }
}

function mustFit(hooks: readonly SignedHook[]): void {
  if (hooks.length > LIMITS.hooks)
    throw new Refusal('too-much', `A release holds at most ${LIMITS.hooks} hooks.`)
  const problem = scriptNamesProblem(hooks)
  if (problem) throw new Refusal('invalid', problem)
  const total = hooks.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (total > LIMITS.scripts) {
    throw new Refusal('too-much', `The scripts have ${total} bytes together; at most ${LIMITS.scripts}.`)
  }
}
