// Tokens of devices: made at enrolment, renewed before they end.

import { mint } from '../access/token.js'
import { DAY_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import type { Tx } from '../store/open.js'
import type { Team } from '../team.js'

const DAYS = 90
/** Renewed and unused: a device that never receives the response must not fill the table. */
const MOST_WAITING = 5

export interface Issued {
  readonly id: string
  readonly text: string
  readonly expiresAt: number
}

export async function issue(team: Team, tx: Tx, deviceId: string): Promise<Issued> {
  const { id, hash, text } = mint('hfd')
  const at = team.now()
  const expiresAt = at + DAYS * DAY_MS
  await tx
    .insertInto('tokens')
    .values({
      id,
      kind: 'device',
      secret_hash: hash,
      owner: deviceId,
      name: '',
      role: '',
      created_at: at,
      expires_at: expiresAt,
      last_used_at: 0,
      revoked_at: null,
    })
    .execute()
  return { id, text: text.reveal(), expiresAt }
}

export async function renew(team: Team, deviceId: string): Promise<Issued> {
  return team.store.write(async tx => {
    const device = await tx
      .selectFrom('devices')
      .select(['token_id', 'revoked_at'])
      .where('id', '=', deviceId)
      .executeTakeFirst()
    if (!device || device.revoked_at !== null) {
      throw new RequestError(
        'unknown-caller',
        'This device was removed from the team. Run "holdfast login" on it.',
      )
    }
    const waiting = await tx
      .selectFrom('tokens')
      .select('id')
      .where('owner', '=', deviceId)
      .where('kind', '=', 'device')
      .where('revoked_at', 'is', null)
      .where('id', '<>', device.token_id)
      .orderBy('created_at', 'desc')
      .execute()
    const tooMany = waiting.slice(MOST_WAITING - 1).map(({ id }) => id)
    if (tooMany.length > 0) await tx.deleteFrom('tokens').where('id', 'in', tooMany).execute()
    return issue(team, tx, deviceId)
  })
}

export async function revokeTokens(team: Team, tx: Tx, deviceId: string): Promise<void> {
  await tx
    .updateTable('tokens')
    .set({ revoked_at: team.now() })
    .where('kind', '=', 'device')
    .where('owner', '=', deviceId)
    .where('revoked_at', 'is', null)
    .execute()
}
