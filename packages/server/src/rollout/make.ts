// The text of the next release with these hooks, or the reason why there cannot be one. Publishing and the check of a
// draft share it, so that both find the same problems.

import {
  LIMITS,
  type ReleasePayload,
  readRelease,
  type SignedHook,
  scriptNamesProblem,
  writeRelease,
} from '@holdfast/team'
import { DAY_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import type { Db, Tx } from '../store/open.js'
import { releaseHeads } from '../store/releases.js'
import { settingsIn } from '../store/team.js'
import type { Team } from '../team.js'
import { trustIn } from './keys.js'

export async function makeRelease(
  db: Db | Tx,
  { id, now }: Pick<Team, 'id' | 'now'>,
  some: readonly SignedHook[],
): Promise<{ readonly release: ReleasePayload; readonly payload: Uint8Array }> {
  const settings = await settingsIn(db)
  const trust = await trustIn(db)
  const before = await releaseHeads(db)
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
    throw new RequestError(
      'too-much',
      `The release would have ${payload.length} bytes; at most ${LIMITS.payload.release}.`,
    )
  }
  // A release that devices cannot read could never be the base of another one.
  const read = readRelease(payload)
  if (!read.ok) throw new RequestError('invalid', read.message)
  return { release, payload }
}

function mustFit(hooks: readonly SignedHook[]): void {
  if (hooks.length > LIMITS.hooks)
    throw new RequestError('too-much', `A release holds at most ${LIMITS.hooks} hooks.`)
  const problem = scriptNamesProblem(hooks)
  if (problem) throw new RequestError('invalid', problem)
  const total = hooks.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (total > LIMITS.scripts) {
    throw new RequestError('too-much', `The scripts have ${total} bytes together; at most ${LIMITS.scripts}.`)
  }
}
