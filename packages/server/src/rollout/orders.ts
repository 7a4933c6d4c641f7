// What people say about whole groups of devices at once: stay on this release, or have no hooks at all.

import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { DAY_MS } from '../durations.js'
import { toNote } from '../note.js'
import { after, paged, sizeOf } from '../page.js'
import { Refusal } from '../refusal.js'
import type { Tx } from '../store/open.js'
import type { PinRow } from '../store/schema.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { trustIn } from './keys.js'
import { isSigned, payloadIn, releaseOf } from './releases.js'

const LONGEST_MS = 366 * DAY_MS
const LONGEST_NAME = 60

export async function pin(team: Team, actor: Person, wish: Omit<PinRow, 'by'>): Promise<PinRow> {
  const now = team.now()
  if (!(wish.until > now && wish.until < now + LONGEST_MS)) {
    throw new Refusal('invalid', 'A pin needs an end between now and a year from now.')
  }
  if (wish.whom === '') throw new Refusal('invalid', 'Name a device or a group.')
  const row: PinRow = {
    ...wish,
    whom: toNote('group', wish.whom, LONGEST_NAME),
    reason: toNote('reason', wish.reason),
    by: actor.name,
  }
  await team.store.write(async tx => {
    await oneAtATime(tx)
    const release = await releaseOf(tx, wish.release)
    if (!isSigned(release)) throw new Refusal('not-now', `Release ${wish.release} is not signed.`)
    await mustBeReachable(tx, wish.release)
    const { kind, whom, release: number, until, reason } = row
    const named = await nameIn(tx, kind, whom)
    if (!named) throw new Refusal('missing', `There is no device ${whom}.`)
    await tx.deleteFrom('pins').where('kind', '=', kind).where('whom', '=', whom).execute()
    await tx.insertInto('pins').values(row).execute()
    await append(tx, actor, now, {
      action: 'release.pin',
      subject: `${kind} ${whom}`,
      detail: { ...named, release: number, until: new Date(until).toISOString(), reason },
    })
  })
  team.hub.changed('releases')
  return row
}

/** Groups are their names; a device has one beside its id. */
async function nameIn(tx: Tx, kind: PinRow['kind'], whom: string): Promise<{ name?: string } | undefined> {
  if (kind === 'group') return {}
  return tx.selectFrom('devices').select('name').where('id', '=', whom).executeTakeFirst()
}

/** Devices go back only along what was signed, so a pin must lie on that way. */
async function mustBeReachable(tx: Tx, number: number): Promise<void> {
  const pinned = await releaseOf(tx, number)
  const newest = await tx
    .selectFrom('releases')
    .selectAll()
    .where('state', 'in', ['rolling', 'done'])
    .orderBy('number', 'desc')
    .executeTakeFirst()
  if (!newest || newest.number <= number || payloadIn(newest).may_revert_to.includes(pinned.hash)) return
  throw new Refusal(
    'not-now',
    `Devices that have release ${newest.number} may not go back as far as ${number}. Roll back to it instead.`,
  )
}

export async function unpin(team: Team, actor: Person, kind: PinRow['kind'], whom: string): Promise<void> {
  await team.store.write(async tx => {
    const gone = await tx
      .deleteFrom('pins')
      .where('kind', '=', kind)
      .where('whom', '=', whom)
      .returning('release')
      .executeTakeFirst()
    if (!gone) throw new Refusal('missing', `The ${kind} ${whom} is not pinned.`)
    await append(tx, actor, team.now(), {
      action: 'release.unpin',
      subject: `${kind} ${whom}`,
      detail: { ...(await nameIn(tx, kind, whom)), release: gone.release },
    })
  })
  team.hub.changed('releases')
}

export async function listPins(
  team: Team,
  request: { pageSize: number; pageToken: string },
): Promise<{ pins: readonly PinRow[]; nextPageToken: string }> {
  const size = sizeOf(request)
  const last = after(request, ['', ''] as const)
  const rows = await team.store.db
    .selectFrom('pins')
    .selectAll()
    .$if(last !== null, query =>
      query.where(({ eb, or, and }) =>
        or([
          eb('kind', '>', last![0] as PinRow['kind']),
          and([eb('kind', '=', last![0] as PinRow['kind']), eb('whom', '>', last![1])]),
        ]),
      ),
    )
    .orderBy('kind')
    .orderBy('whom')
    .limit(size + 1)
    .execute()
  const page = paged(rows, size, ({ kind, whom }) => [kind, whom])
  return { pins: page.rows, nextPageToken: page.nextPageToken }
}

export async function setKillSwitch(team: Team, actor: Person, isOn: boolean, said: string): Promise<void> {
  const reason = toNote('reason', said)
  if (isOn && reason === '') throw new Refusal('invalid', 'Say why: everybody on the team will read it.')
  await team.store.write(async tx => {
    if (isOn && !(await trustIn(tx)).kill_by_server) {
      throw new Refusal(
        'not-now',
        'Trust does not leave it to the server to take all hooks away: no device would. Publish without them.',
      )
    }
    await tx
      .updateTable('team')
      .set({ killed: isOn ? 1 : 0, killed_because: isOn ? reason : '' })
      .execute()
    await append(tx, actor, team.now(), {
      action: isOn ? 'team.kill' : 'team.revive',
      subject: `team ${team.id}`,
      detail: { reason },
    })
  })
  team.hub.changed('releases')
}
