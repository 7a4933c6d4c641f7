// Tokens for users' scripts. A token has its own role or that of the user, whichever is lower when it is used.

import type { Person } from '../access/actor.js'
import { mint } from '../access/token.js'
import { append } from '../audit/chain.js'
import { DAY_MS } from '../durations.js'
import { RequestError } from '../request-error.js'
import { mustRank, toRole } from '../roles.js'
import type { TokenRow } from '../store/schema.js'
import { countTokens, insertToken, revokePersonToken } from '../store/tokens.js'
import type { Team } from '../team.js'
import { toLine } from './words.js'

const DEFAULT_DAYS = 90
const MOST_DAYS = 365
const MOST = 50

export async function createToken(
  team: Team,
  actor: Person,
  wish: { name: string; role: string; days: number },
): Promise<{ token: TokenRow; secret: string }> {
  if (actor.via !== 'session') {
    throw new RequestError('not-now', `A token cannot create tokens. Sign in at ${team.url} to make one.`)
  }
  const name = toLine('The name', wish.name)
  const role = wish.role === '' ? actor.role : toRole(wish.role)
  mustRank(actor.role, role)
  const days = wish.days || DEFAULT_DAYS
  if (days < 1 || days > MOST_DAYS) {
    throw new RequestError('invalid', `days is ${days}; expected 1 to ${MOST_DAYS}.`)
  }
  const { id, hash, text } = mint('hfp')
  const at = team.now()
  const token: TokenRow = {
    id,
    kind: 'person',
    secret_hash: hash,
    owner: actor.userId,
    name,
    role,
    created_at: at,
    expires_at: at + days * DAY_MS,
    last_used_at: 0,
    revoked_at: null,
  }
  await team.store.write(async tx => {
    if ((await countTokens(tx, actor.userId, at)) >= MOST)
      throw new RequestError('too-much', `You have ${MOST} tokens. Revoke one that you no longer need.`)
    await insertToken(tx, token)
    await append(tx, actor, at, { action: 'token.create', subject: id, detail: { name, role, days } })
  })
  return { token, secret: text.reveal() }
}

export async function revokeToken(team: Team, actor: Person, id: string): Promise<void> {
  await team.store.write(async tx => {
    const token = await revokePersonToken(tx, actor.userId, id, team.now())
    if (!token) throw new RequestError('missing', 'You have no token with this id.')
    await append(tx, actor, team.now(), { action: 'token.revoke', subject: id, detail: { name: token.name } })
  })
  team.hub.changed('tokens', actor.userId)
}
