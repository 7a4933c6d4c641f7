// Orders of admins for many devices at once: stay on a release, or run no hooks at all.

import type { ActionKind } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { append } from '../audit/chain.js'
import { DAY_MS } from '../durations.js'
import { toNote } from '../note.js'
import { type PageRequest, pageOf } from '../page.js'
import { RequestError } from '../request-error.js'
import { newestAction } from '../store/admin-actions.js'
import { findDevice } from '../store/devices.js'
import type { Tx } from '../store/open.js'
import { deletePin, pageOfPins, putPin } from '../store/pins.js'
import { releasesOut } from '../store/releases.js'
import type { PinRow } from '../store/schema.js'
import { saveKillSwitch } from '../store/team.js'
import type { Team } from '../team.js'
import { trustIn } from './keys.js'
import { isSigned, payloadIn, releaseOf } from './releases.js'

const LONGEST_MS = 366 * DAY_MS
const LONGEST_NAME = 60

export async function pin(team: Team, actor: Person, wish: Omit<PinRow, 'by'>): Promise<PinRow> {
  const now = team.now()
  if (!(wish.until > now && wish.until < now + LONGEST_MS)) {
    throw new RequestError('invalid', 'A pin needs an end between now and a year from now.')
  }
  if (wish.whom === '') throw new RequestError('invalid', 'Name a device or a group.')
  const row: PinRow = {
    ...wish,
    whom: toNote('group', wish.whom, LONGEST_NAME),
    reason: toNote('reason', wish.reason),
    by: actor.name,
  }
  const change = {
    method: 'RolloutService/Pin',
    subject: `${row.kind} ${row.whom}`,
    // The second person sets the end: two people in different time zones choose the same day, not the same moment.
    wish: { release: row.release },
    call: {
      ...whomOf(row.kind, row.whom),
      release: row.release,
      until: new Date(row.until).toISOString(),
      reason: row.reason,
    },
  }
  await withSecondPerson(team, actor, change, async (tx, by) => {
    const release = await releaseOf(tx, wish.release)
    if (!isSigned(release)) throw new RequestError('not-now', `Release ${wish.release} is not signed.`)
    await mustBeReachable(tx, wish.release)
    const { kind, whom, release: number, until, reason } = row
    const named = await nameIn(tx, kind, whom)
    if (!named) throw new RequestError('missing', `There is no device ${whom}.`)
    await putPin(tx, row)
    await append(tx, actor, now, {
      action: 'release.pin',
      subject: `${kind} ${whom}`,
      detail: { ...named, release: number, until: new Date(until).toISOString(), reason, ...by },
    })
  })
  team.hub.changed('releases')
  return row
}

const whomOf = (kind: PinRow['kind'], whom: string) =>
  kind === 'device' ? { deviceId: whom } : { group: whom }

/** Groups are identified by their names; a device has a name and an id. */
async function nameIn(tx: Tx, kind: PinRow['kind'], whom: string): Promise<{ name?: string } | undefined> {
  if (kind === 'group') return {}
  const device = await findDevice(tx, whom)
  return device && { name: device.name }
}

/** Devices return only along signed releases, so a pin must be on that path. */
async function mustBeReachable(tx: Tx, number: number): Promise<void> {
  const pinned = await releaseOf(tx, number)
  const [newest] = await releasesOut(tx)
  if (!newest || newest.number <= number || payloadIn(newest).may_revert_to.includes(pinned.hash)) return
  throw new RequestError(
    'not-now',
    `Devices that have release ${newest.number} may not go back as far as ${number}. Roll back to it instead.`,
  )
}

export async function unpin(team: Team, actor: Person, kind: PinRow['kind'], whom: string): Promise<void> {
  const change = {
    method: 'RolloutService/Unpin',
    subject: `${kind} ${whom}`,
    wish: {},
    call: whomOf(kind, whom),
  }
  await withSecondPerson(team, actor, change, async (tx, by) => {
    const release = await deletePin(tx, kind, whom)
    if (release === undefined) throw new RequestError('missing', `The ${kind} ${whom} is not pinned.`)
    await append(tx, actor, team.now(), {
      action: 'release.unpin',
      subject: `${kind} ${whom}`,
      detail: { ...(await nameIn(tx, kind, whom)), release, ...by },
    })
  })
  team.hub.changed('releases')
}

export const listPins = (team: Team, request: PageRequest) =>
  pageOf(
    request,
    ['', ''] as readonly [string, string],
    (last, limit) => pageOfPins(team.store.db, last, limit),
    ({ kind, whom }) => [kind, whom],
  )

export interface KillOrder {
  readonly isOn: boolean
  readonly reason: string
  /** Without a second person. */
  readonly isEmergency: boolean
}

export async function setKillSwitch(team: Team, actor: Person, order: KillOrder): Promise<void> {
  const { isOn, isEmergency } = order
  const reason = toNote('reason', order.reason)
  if (isOn && reason === '') throw new RequestError('invalid', 'Give a reason. The team sees it.')
  if (isEmergency && !isOn) throw new RequestError('invalid', 'An emergency can only switch the hooks off.')
  if (isEmergency && actor.via !== 'session')
    throw new RequestError('forbidden', 'Only a signed-in user can declare an emergency, not a token.')
  const make = async (tx: Tx, by: object) => {
    if (isOn && !(await trustIn(tx)).kill_by_server) {
      throw new RequestError(
        'not-now',
        'The root metadata of this team does not allow the kill switch, so devices would ignore it. Publish a release without the hooks.',
      )
    }
    await saveKillSwitch(tx, isOn, reason)
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
    const change = {
      method: 'RolloutService/SetKillSwitch',
      subject: 'the kill switch',
      wish: { isOn },
      call: { on: isOn, reason },
    }
    await withSecondPerson(team, actor, change, make)
  }
  team.hub.changed('releases')
}

const EMERGENCY: ActionKind = 'team.emergency-kill'
const ANNOUNCED_MS = 7 * DAY_MS

/** The newest kill switch by one person. It is shown for a week, also after it was switched off. */
export async function newestEmergency({
  store,
  now,
}: Team): Promise<{ by: string; at: number; reason: string } | null> {
  const row = await newestAction(store.db, EMERGENCY, { after: now() - ANNOUNCED_MS })
  if (!row) return null
  const { detail } = JSON.parse(Buffer.from(row.body).toString('utf8')) as { detail?: { reason?: string } }
  return { by: row.actor, at: row.at, reason: detail?.reason ?? '' }
}
