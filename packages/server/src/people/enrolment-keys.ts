// Keys that enrol a fleet without a user at each keyboard: for a few days, for a number of devices, into one group.

import type { Person } from '../access/actor.js'
import { fits, mint, read } from '../access/token.js'
import { append } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import type { Db, Tx } from '../store/open.js'
import type { EnrolmentKeyRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { mustHaveKeys } from './trust.js'
import { toLine } from './words.js'

const HOUR_MS = 3_600_000
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
    await tx.insertInto('enrolment_keys').values(key).execute()
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
    const key = await tx.selectFrom('enrolment_keys').selectAll().where('id', '=', id).executeTakeFirst()
    if (!key) throw new RequestError('missing', 'There is no enrolment key with this id.')
    await tx
      .updateTable('enrolment_keys')
      .set({ revoked_at: key.revoked_at ?? at })
      .where('id', '=', id)
      .execute()
    const devices = withDevices
      ? await tx
          .updateTable('devices')
          .set({ revoked_at: at })
          .where('enrolment_key', '=', id)
          .where('revoked_at', 'is', null)
          .returning('id')
          .execute()
      : []
    if (withDevices) await revokeTokensOf(tx, id, at)
    await append(tx, actor, at, {
      action: 'enrolment-key.revoke',
      subject: id,
      detail: { note: key.note, devices: devices.length },
    })
    return devices.length
  })
  team.hub.changed('tokens')
  team.hub.changed('devices')
  return revoked
}

/** The ids of valid keys whose creators may no longer create any. */
export async function endKeysOf(team: Team, tx: Tx, maker: string): Promise<string[]> {
  const at = team.now()
  const ended = await tx
    .updateTable('enrolment_keys')
    .set({ revoked_at: at })
    .where('created_by', '=', maker)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .returning(['id', 'uses', 'max_uses'])
    .execute()
  // A used-up key still enrols its own devices again, so it ends as well, without an entry in the audit log.
  return ended.filter(({ uses, max_uses }) => uses < max_uses).map(({ id }) => id)
}

const revokeTokensOf = (tx: Tx, key: string, at: number) =>
  tx
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('kind', '=', 'device')
    .where('revoked_at', 'is', null)
    .where('owner', 'in', eb => eb.selectFrom('devices').select('id').where('enrolment_key', '=', key))
    .execute()

/** The presented key if it is valid; a message otherwise. */
export async function openKey(team: Team, db: Db | Tx, text: string): Promise<EnrolmentKeyRow> {
  const shown = read(text)
  const key =
    shown?.prefix === 'hfe'
      ? await db.selectFrom('enrolment_keys').selectAll().where('id', '=', shown.id).executeTakeFirst()
      : undefined
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

/** Counted in the same statement, so that two concurrent uses do not both get the last one. */
export async function useKey(db: Db | Tx, { id, max_uses }: EnrolmentKeyRow): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('enrolment_keys')
    .set(({ eb }) => ({ uses: eb('uses', '+', 1) }))
    .where('id', '=', id)
    .where('uses', '<', max_uses)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (Number(numUpdatedRows) === 1) return
  throw new RequestError(
    'unknown-caller',
    `The enrolment key has no uses left (${max_uses} of ${max_uses} used). Ask an admin for a new one.`,
  )
}

/** Newest first, with expired ones: they show how a device was enrolled. */
export function listKeys(
  team: Team,
  size: number,
  after: readonly [number, string] | null,
): Promise<EnrolmentKeyRow[]> {
  let query = team.store.db
    .selectFrom('enrolment_keys')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(size)
  if (after) {
    const [at, id] = after
    query = query.where(({ or, and, eb }) =>
      or([eb('created_at', '<', at), and([eb('created_at', '=', at), eb('id', '>', id)])]),
    )
  }
  return query.execute()
}
