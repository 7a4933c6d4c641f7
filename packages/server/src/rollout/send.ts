// A new release: it is signed if the key is here, stored, and delivered through the rings.

import { type SignedHook, sha256, writeSignatures } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { append } from '../audit/chain.js'
import { toNote } from '../note.js'
import { RequestError } from '../request-error.js'
import type { Tx } from '../store/open.js'
import { insertRelease } from '../store/releases.js'
import type { ReleaseRow } from '../store/schema.js'
import { settingsIn } from '../store/team.js'
import type { Team } from '../team.js'
import { signingKey, signWith } from './keys.js'
import { makeRelease } from './make.js'
import { changesIn, type HookChange, isSigned, mustNotWait, payloadIn, releaseOf } from './releases.js'
import { assignMembers } from './rings.js'

/** A release with the hooks of an older one: newer than everything, so that every device takes it. */
export async function rollBack(
  team: Team,
  actor: Person,
  { to, ...said }: { to: number; note: string },
): Promise<ReleaseRow> {
  const note = toNote('note', said.note)
  const change = {
    method: 'RolloutService/RollBack',
    subject: `release ${to}`,
    wish: { to },
    call: { to, note },
  }
  const release = await withSecondPerson(team, actor, change, async (tx, by) => {
    await mustNotWait(tx)
    const old = await releaseOf(tx, to)
    if (!isSigned(old)) throw new RequestError('not-now', `Release ${to} was never signed.`)
    return send(tx, team, actor, {
      hooks: payloadIn(old).hooks,
      note,
      skipRings: true,
      rollsBackTo: to,
      action: 'release.roll-back',
      by,
    })
  })
  team.hub.changed('releases')
  return release
}

export interface Sending {
  readonly hooks: readonly SignedHook[]
  readonly note: string
  readonly skipRings: boolean
  readonly rollsBackTo: number | null
  readonly action: 'release.publish' | 'release.roll-back'
  readonly by: object
}

/** Makes the next release with these hooks. It reaches the first ring, or every device at once. */
export async function send(tx: Tx, team: Team, actor: Person, sending: Sending): Promise<ReleaseRow> {
  const now = team.now()
  const settings = await settingsIn(tx)
  const { release, payload } = await makeRelease(tx, team, sending.hooks)
  const key = await signingKey(tx, team.secrets, 'release')
  const signatures = key ? [signWith('release', payload, key)] : []
  const isAtOnce = sending.skipRings || settings.rings.length === 1
  const row: ReleaseRow = {
    number: release.release,
    epoch: release.epoch,
    hash: sha256(payload),
    payload,
    signatures: JSON.stringify(writeSignatures(signatures)),
    state: key ? (isAtOnce ? 'done' : 'rolling') : 'unsigned',
    ring: isAtOnce ? settings.rings.length - 1 : 0,
    ring_since: now,
    generation: 1,
    halted_because: '',
    halt_causes: '[]',
    rolls_back_to: sending.rollsBackTo,
    note: sending.note,
    author: actor.name,
    at: now,
    expires_at: Date.parse(release.expires_at),
  }
  await insertRelease(tx, row, release.hooks)
  // Also when every ring has it: pages and leases name the ring of a device by the newest release.
  if (row.state !== 'unsigned') await assignMembers(tx, row.number, now)
  await append(tx, actor, now, {
    action: sending.action,
    subject: `release ${row.number}`,
    detail: {
      hash: row.hash,
      note: sending.note,
      state: row.state,
      ring: settings.rings[row.ring]!.name,
      ...(isAtOnce ? { at_once: true } : {}),
      ...named(await changesIn(tx, row)),
      hooks: release.hooks.map(({ id, revision }) => `${id}@${revision}`),
      ...(sending.rollsBackTo === null ? {} : { rolls_back_to: sending.rollsBackTo }),
      ...sending.by,
    },
  })
  return row
}

/** The changes, with current names. */
function named(changes: readonly HookChange[]) {
  const fresh = changes.filter(({ change }) => change === 'added' || change === 'changed')
  const gone = changes.filter(({ change }) => change === 'removed')
  return {
    ...(fresh.length > 0 ? { changed: fresh.map(({ name, revision }) => ({ name, revision })) } : {}),
    ...(gone.length > 0 ? { removed: gone.map(({ name }) => name) } : {}),
  }
}
