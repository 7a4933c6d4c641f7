// Who bears a token. What the database says of a token is remembered for a minute, and forgotten at once when somebody
// changes one, so that ten thousand devices can ask without a single query.

import type { Team } from '../team.js'
import type { DeviceActor, Nobody, Person } from './actor.js'
import { networkOf } from './address.js'
import { isAtLeast, type Role } from './methods.js'
import { promote } from './promote.js'
import type { Seen } from './seen.js'
import { fits, type Presented, read } from './token.js'

const REMEMBERED_MS = 60_000
const MOST = 100_000
/** Unknown tokens that one address may show in a minute before tokens that are new from there are no longer looked up. */
const MOST_UNKNOWN = 60
const MINUTE_MS = 60_000

/** A token as the database knows it; no secret in here. */
interface Known {
  readonly kind: 'device' | 'person'
  readonly hash: Buffer
  readonly owner: string
  /** Of a person's token: who, as what, and what the person may do today. */
  readonly name: string
  readonly role: Role | ''
  readonly memberRole: Role | ''
  readonly label: string
  readonly expiresAt: number
  readonly isRevoked: boolean
  readonly isOwnerGone: boolean
  /** Of a device: whether it is the one in use, and not a newer one that waits for its first use. */
  readonly isInUse: boolean
  readonly until: number
}

export interface Tokens {
  /** At once when the token is remembered. Undefined for whatever is not the token of a device of this team. */
  device(
    authorization: string | undefined,
    address: string,
  ): DeviceActor | undefined | Promise<DeviceActor | undefined>
  bearer(authorization: string, address: string): Promise<DeviceActor | Person | Nobody>
  close(): void
}

export function openTokens(team: Team, seen: Seen): Tokens {
  const remembered = new Map<string, Known>()
  const unknown = new Map<string, number>()
  /** Shown with their secret before: a stranger who guesses must not lock out who shares the address. */
  const welcome = new Set<string>()
  let minute = 0
  let changes = 0
  const forget = team.hub.subscribe(topic => {
    if (topic !== 'tokens' && topic !== 'people') return
    changes++
    remembered.clear()
  })

  const recall = (id: string): Known | undefined => {
    const known = remembered.get(id)
    return known && known.until > team.now() ? known : undefined
  }

  const find = async (shown: Presented): Promise<Known | undefined> => {
    const before = changes
    const known = await lookUp(team, shown.id)
    // What was read while somebody changed a token may be the old word.
    if (!known || changes !== before) return known
    if (remembered.size >= MOST) remembered.clear()
    remembered.set(shown.id, known)
    return known
  }

  const tooMany = (network: string): boolean => {
    const current = Math.floor(team.now() / MINUTE_MS)
    if (current !== minute) unknown.clear()
    minute = current
    return (unknown.get(network) ?? 0) >= MOST_UNKNOWN
  }

  const judge = (
    known: Known,
    { id }: Presented,
    address: string,
    asOf: number,
  ): DeviceActor | Person | Nobody => {
    const because = complaint(known, team)
    if (because) return { kind: 'nobody', address, because }
    seen.token(id)
    if (known.kind === 'device') {
      seen.device(known.owner)
      return { kind: 'device', deviceId: known.owner, token: { id, asOf }, address }
    }
    seen.member(known.owner)
    const role = lower(known.role as Role, known.memberRole as Role)
    return { kind: 'person', userId: known.owner, name: known.name, role, via: 'token', address }
  }

  const bearer = async (authorization: string, address: string) => {
    const nobody = (because: string): Nobody => ({ kind: 'nobody', address, because })
    const shown = presented(authorization)
    if (!shown) {
      return nobody('The Authorization header holds no token of this server: Bearer hfd_… or hfp_….')
    }
    const network = networkOf(address)
    const asOf = team.hub.epoch('tokens')
    let known = recall(shown.id)
    if (!known && !welcome.has(shown.id) && tooMany(network)) {
      return nobody('Too many unknown tokens came from your address. Try again in a minute.')
    }
    known ??= await find(shown)
    if (!known || !isOf(known, shown) || !fits(shown.secret, known.hash)) {
      unknown.set(network, (unknown.get(network) ?? 0) + 1)
      return nobody('The token is not known here. Sign in again, or make a new one.')
    }
    if (welcome.size >= MOST) welcome.clear()
    welcome.add(shown.id)
    const isFirstUse = known.kind === 'device' && !known.isInUse && !complaint(known, team)
    if (!isFirstUse) return judge(known, shown, address, asOf)
    const isPromoted = await promote(team, known.owner, shown.id)
    return judge({ ...known, isRevoked: !isPromoted }, shown, address, asOf)
  }

  return {
    bearer,
    device(authorization, address) {
      const shown = presented(authorization ?? '')
      if (shown?.prefix !== 'hfd') return undefined
      const known = recall(shown.id)
      const only = (actor: DeviceActor | Person | Nobody) => (actor.kind === 'device' ? actor : undefined)
      if (!known?.isInUse) return bearer(authorization!, address).then(only)
      return isOf(known, shown) && fits(shown.secret, known.hash)
        ? only(judge(known, shown, address, team.hub.epoch('tokens')))
        : undefined
    },
    close: forget,
  }
}

function presented(authorization: string): Presented | null {
  const token = /^bearer /i.test(authorization) ? read(authorization.slice(7).trim()) : null
  return token && (token.prefix === 'hfd' || token.prefix === 'hfp') && token.fingerprint === ''
    ? token
    : null
}

const isOf = ({ kind }: Known, { prefix }: Presented): boolean =>
  prefix === (kind === 'device' ? 'hfd' : 'hfp')

const lower = (one: Role, other: Role): Role => (isAtLeast(one, other) ? other : one)

function complaint(
  { kind, expiresAt, isRevoked, isOwnerGone, label }: Known,
  { now, url }: Team,
): string | undefined {
  const ended = `ended on ${new Date(expiresAt).toISOString().slice(0, 10)}`
  if (kind === 'device') {
    const again = 'Run "holdfast login" on it, or enrol it again with an enrolment key.'
    if (isOwnerGone) return `This device was taken out of the team. ${again}`
    if (isRevoked) return `This token of the device was replaced or revoked. ${again}`
    return expiresAt <= now() ? `The token of this device ${ended}. ${again}` : undefined
  }
  const another = `Sign in at ${url} and make a new one.`
  if (isOwnerGone) return 'The person who made this token is no longer a member of the team.'
  if (isRevoked) return `The token "${label}" was revoked. ${another}`
  return expiresAt <= now() ? `The token "${label}" ${ended}. ${another}` : undefined
}

/** How many are asked for at once: a file is read on the thread that serves everybody. */
const AT_ONCE = 1000

/** Of these tokens of devices, those that still open the door. */
export async function goodTokens({ store, now }: Team, ids: readonly string[]): Promise<Set<string>> {
  const good = new Set<string>()
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const rows = await store.db
      .selectFrom('tokens')
      .innerJoin('devices', 'devices.id', 'tokens.owner')
      .select('tokens.id')
      .where('tokens.id', 'in', ids.slice(from, from + AT_ONCE))
      .where('tokens.kind', '=', 'device')
      .where('tokens.revoked_at', 'is', null)
      .where('tokens.expires_at', '>', now())
      .where('devices.revoked_at', 'is', null)
      .execute()
    for (const { id } of rows) good.add(id)
  }
  return good
}

async function lookUp(team: Team, id: string): Promise<Known | undefined> {
  const row = await team.store.db
    .selectFrom('tokens')
    .leftJoin('devices', 'devices.id', 'tokens.owner')
    .leftJoin('members', 'members.user_id', 'tokens.owner')
    .leftJoin('user', 'user.id', 'tokens.owner')
    .selectAll('tokens')
    .select([
      'devices.token_id',
      'devices.revoked_at as gone_at',
      'members.role as member_role',
      'user.email',
    ])
    .where('tokens.id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const isDevice = row.kind === 'device'
  return {
    kind: row.kind,
    hash: Buffer.from(row.secret_hash, 'hex'),
    owner: row.owner,
    name: row.email ?? '',
    role: row.role as Role | '',
    memberRole: (row.member_role ?? '') as Role | '',
    label: row.name,
    expiresAt: row.expires_at,
    isRevoked: row.revoked_at !== null,
    isOwnerGone: isDevice ? row.token_id === null || row.gone_at !== null : row.member_role === null,
    isInUse: row.token_id === id,
    until: team.now() + REMEMBERED_MS,
  }
}
