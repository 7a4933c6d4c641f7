// Tokens of devices: made at enrolment, renewed before they end.

import { mint } from '../access/token.js'
import { DAY_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import { findDevice } from '../store/devices.js'
import type { Tx } from '../store/open.js'
import { deleteTokens, insertToken, unusedTokens } from '../store/tokens.js'
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
  await insertToken(tx, {
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
  return { id, text: text.reveal(), expiresAt }
}

export async function renew(team: Team, deviceId: string): Promise<Issued> {
  return team.store.write(async tx => {
    const device = await findDevice(tx, deviceId)
    if (!device || device.revoked_at !== null) {
      throw new RequestError(
        'unknown-caller',
        'This device was removed from the team. Run "holdfast login" on it.',
      )
    }
    const waiting = await unusedTokens(tx, deviceId, device.token_id)
    const tooMany = waiting.slice(MOST_WAITING - 1)
    if (tooMany.length > 0) await deleteTokens(tx, tooMany)
    return issue(team, tx, deviceId)
  })
}
