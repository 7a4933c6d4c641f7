// Keys that enrol a fleet without a user at each keyboard: for a few days, for a number of devices, into one group.

import type { Person } from '../access/actor.js'
import { fits, mint, read } from '../access/token.js'
import { append } from '../audit/chain.js'
import { HOUR_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import { revokeByKey } from '../store/devices.js'
import {
  countUse,
  findKey,
  insertEnrolmentKey,
  revokeEnrolmentKey,
  revokeKeysBy,
} from '../store/enrolment-keys.js'
import type { Db, Tx } from '../store/open.js'
import type { EnrolmentKeyRow } from '../store/schema.js'
import { revokeTokensByKey } from '../store/tokens.js'
import type { Team } from '../team.js'
import { mustHaveKeys } from './trust.js'
import { toLine } from './words.js'

const LONGEST_HOURS = 7 * 24
const DEFAULT_HOURS = 24
const MOST_USES = 100_000

export interface KeyWish {
  readonly note: string
  readonly group: string
  readonly maxUses: number
  readonly hours: number
}

export async function createKey(
  team: Team,
  actor: Person,
  wish: KeyWish,
): Promise<{ key: EnrolmentKeyRow; secret: string }> {
  const note = toLine('The note', wish.note, { empty: true })
  const group = toLine('The group', wish.group, { longest: 60, empty: true })
  const hours = between('hours', wish.hours || DEFAULT_HOURS, LONGEST_HOURS)
  const maxUses = between('max_uses', wish.maxUses || 1, MOST_USES)
  const { id, hash, text } = mint('hfe')
  const at = team.now()
  const key: EnrolmentKeyRow = {
    id,
    secret_hash: hash,
    note,
    group,
    uses: 0,
    max_uses: maxUses,
    created_at: at,
    created_by: actor.name,
    expires_at: at + hours * HOUR_MS,
    revoked_at: null,
  }
  const pin = await team.store.write(async tx => {
    const found = await mustHaveKeys(tx)
    await insertEnrolmentKey(tx, key)
    await append(tx, actor, at, {
      action: 'enrolment-key.create',
      subject: id,
      detail: { note, group, max_uses: maxUses, hours },
    })
    return found
  })
  team.hub.changed('devices')
  return { key, secret: `${text.reveal()}_${pin}` }
}

function between(what: string, value: number, most: number): number {
  if (value >= 1 && value <= most) return value
  throw new RequestError('invalid', `${what} is ${value}; expected 1 to ${most}.`)
}

export async function revokeKey(
  team: Team,
  actor: Person,
  { id, withDevices }: { id: string; withDevices: boolean },
): Promise<number> {
  const revoked = await team.store.write(async tx => {
    const at = team.now()
    const key = await findKey(tx, id)
    if (!key) throw new RequestError('missing', 'There is no enrolment key with this id.')
    await revokeEnrolmentKey(tx, key, at)
    const devices = withDevices ? await revokeByKey(tx, id, at) : 0
    if (withDevices) await revokeTokensByKey(tx, id, at)
    await append(tx, actor, at, {
      action: 'enrolment-key.revoke',
      subject: id,
      detail: { note: key.note, devices },
    })
    return devices
  })
  team.hub.changed('tokens')
  team.hub.changed('devices')
  return revoked
}

/** The ids of valid keys whose creators may no longer create any. */
export async function endKeysOf(team: Team, tx: Tx, maker: string): Promise<string[]> {
  const ended = await revokeKeysBy(tx, maker, team.now())
  // A used-up key still enrols its own devices again, so it ends as well, without an entry in the audit log.
  return ended.filter(({ uses, max_uses }) => uses < max_uses).map(({ id }) => id)
}

/** The presented key if it is valid; a message otherwise. */
export async function openKey(team: Team, db: Db | Tx, text: string): Promise<EnrolmentKeyRow> {
  const shown = read(text)
  const key = shown?.prefix === 'hfe' ? await findKey(db, shown.id) : undefined
  if (!key || !fits(shown!.secret, key.secret_hash)) {
    throw new RequestError(
      'unknown-caller',
      'This server does not know the enrolment key. Ask an admin for a new one.',
    )
  }
  if (shown!.fingerprint !== (await mustHaveKeys(db))) {
    throw new RequestError(
      'invalid',
      'The enrolment key names another team than this server has. Copy it again.',
    )
  }
  if (key.revoked_at !== null) {
    throw new RequestError('unknown-caller', 'The enrolment key was revoked. Ask an admin for a new one.')
  }
  if (key.expires_at <= team.now()) {
    throw new RequestError('unknown-caller', 'The enrolment key has expired. Ask an admin for a new one.')
  }
  return key
}

export async function useKey(db: Db | Tx, key: EnrolmentKeyRow): Promise<void> {
  if (await countUse(db, key)) return
  throw new RequestError(
    'unknown-caller',
    `The enrolment key has no uses left (${key.max_uses} of ${key.max_uses} used). Ask an admin for a new one.`,
  )
}
