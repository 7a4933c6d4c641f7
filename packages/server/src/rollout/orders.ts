// What people say about whole groups of devices at once: stay on this release, or have no hooks at all.

import type { ActionKind } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { DAY_MS } from '../durations.js'
import { toNote } from '../note.js'
import { after, paged, sizeOf } from '../page.js'
import { Refusal } from '../refusal.js'
import type { Tx } from '../store/open.js'
import type { PinRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { withSecondPerson } from './four-eyes.js'
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
  const change = {
    method: 'RolloutService/Pin',
    subject: `${row.kind} ${row.whom}`,
    // The end is up to the second person: two people in different time zones choose the same day, not the same moment.
    wish: { release: row.release },
  }
  await withSecondPerson(team, actor, change, async (tx, by) => {
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
      detail: { ...named, release: number, until: new Date(until).toISOString(), reason, ...by },
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
  const change = { method: 'RolloutService/Unpin', subject: `${kind} ${whom}`, wish: {} }
  await withSecondPerson(team, actor, change, async (tx, by) => {
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
      detail: { ...(await nameIn(tx, kind, whom)), release: gone.release, ...by },
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

export interface KillOrder {
  readonly isOn: boolean
  readonly reason: string
  /** Without a second person. */
  readonly isEmergency: boolean
}

export async function setKillSwitch(team: Team, actor: Person, order: KillOrder): Promise<void> {
  const { isOn, isEmergency } = order
  const reason = toNote('reason', order.reason)
  if (isOn && reason === '') throw new Refusal('invalid', 'Say why: everybody on the team will read it.')
  if (isEmergency && !isOn)
    throw new Refusal(
      'invalid',
      'An emergency is a reason to switch the hooks off, and not to switch them on.',
    )
  if (isEmergency && actor.via !== 'session')
    throw new Refusal('forbidden', 'An emergency is declared by a person who signed in, and not by a token.')
  const make = async (tx: Tx, by: object) => {
    if (isOn && !(await trustIn(tx)).kill_by_server) {
      throw new Refusal(
        'not-now',
        'The root metadata of this team does not allow the server to switch its hooks off, so no device would. Publish without them.',
      )
    }
    await tx
      .updateTable('team')
      .set({ killed: isOn ? 1 : 0, killed_because: isOn ? reason : '' })
      .execute()
    await append(tx, actor, team.now(), {
      action: isEmergency ? EMERGENCY : isOn ? 'team.kill' : 'team.revive',
      subject: `team ${team.id}`,
      detail: { reason, ...by },
    })
  }
  if (isEmergency) {
    await team.store.write(tx => make(tx, {}))
    team.log.warn('the kill switch was used in an emergency, by one person', { by: actor.name, reason })
  } else {
    const change = { method: 'RolloutService/SetKillSwitch', subject: 'the kill switch', wish: { isOn } }
    await withSecondPerson(team, actor, change, make)
  }
  team.hub.changed('releases')
}

const EMERGENCY: ActionKind = 'team.emergency-kill'
const ANNOUNCED_MS = 7 * 86_400_000

/** The newest kill by one person. It is announced for a week, also after somebody has switched the hooks on again. */
export async function newestEmergency({
  store,
  now,
}: Team): Promise<{ by: string; at: number; reason: string } | null> {
  const row = await store.db
    .selectFrom('admin_actions')
    .select(['actor', 'at', 'body'])
    .where('action', '=', EMERGENCY)
    .where('at', '>', now() - ANNOUNCED_MS)
    .orderBy('seq', 'desc')
    .executeTakeFirst()
  if (!row) return null
  const { detail } = JSON.parse(Buffer.from(row.body).toString('utf8')) as { detail?: { reason?: string } }
  return { by: row.actor, at: row.at, reason: detail?.reason ?? '' }
}
