// The owners of tokens. Rows of the database are cached, and evicted at once when a token changes, so that polls of a
// hundred thousand devices need no query.

import { MINUTE_MS } from '../durations.js'
import { isAtLeast, type Role } from '../roles.js'
import { ownedTokens, promoteToken } from '../store/tokens.js'
import type { Team } from '../team.js'
import type { DeviceActor, EnrolledDevice, Nobody, Person } from './actor.js'
import { networkOf } from './address.js'
import { gather } from './gather.js'
import type { Seen } from './seen.js'
import { fits, type Presented, read } from './token.js'

/** How long a token is cached. */
const CACHED_MS = 60_000
/** Cached tokens of devices are read again in bulk at this interval, before they expire. */
const CHECK_MS = 25_000
const MOST = 250_000
/** How many cached tokens one query checks: SQLite reads on the main thread. */
const AT_ONCE = 500
/** Unknown tokens that one network may present in a minute before its new tokens are no longer looked up. */
const MOST_UNKNOWN = 60

/** A token as the database has it; without the secret. */
interface CachedToken {
  readonly id: string
  readonly kind: 'device' | 'person'
  readonly hash: Buffer
  readonly owner: string
  /** Of a user's token: email address, role of the token, and present role of the member. */
  readonly name: string
  readonly role: Role | ''
  readonly memberRole: Role | ''
  readonly label: string
  readonly expiresAt: number
  readonly isRevoked: boolean
  readonly isOwnerGone: boolean
  /** Of a device's token: false for a renewed one that was not used yet. */
  readonly isInUse: boolean
  readonly device: EnrolledDevice | null
  readonly until: number
}

export interface Tokens {
  /** Synchronous while the token is cached. Undefined for everything but the token of a device of this team. */
  device(
    authorization: string | undefined,
    address: string,
  ): DeviceActor | undefined | Promise<DeviceActor | undefined>
  bearer(authorization: string, address: string): Promise<DeviceActor | Person | Nobody>
  /** Called with the id of a device whose token or group may have changed; with '' when it may be any device. */
  onChange(listener: (deviceId: string) => void): void
  close(): void
}

export function openTokens(team: Team, seen: Seen, checkMs = CHECK_MS): Tokens {
  const cached = new Map<string, CachedToken>()
  const unknown = new Map<string, number>()
  /** Presented with their secret before: other callers of the same network who guess must not block them. */
  const welcome = new Set<string>()
  const listeners = new Set<(deviceId: string) => void>()
  const load = gather((ids: readonly string[]) => lookUp(team, ids))
  let minute = 0
  let changes = 0
  const unsubscribe = team.hub.subscribe((topic, _epoch, subject) => {
    if (topic !== 'tokens' && topic !== 'people') return
    changes++
    for (const [id, { kind, owner }] of cached) {
      const isMeant = topic === 'people' ? kind === 'person' : subject === '' || owner === subject
      if (isMeant) cached.delete(id)
    }
    if (topic === 'tokens') for (const listener of listeners) listener(subject)
  })

  const recall = (id: string): CachedToken | undefined => {
    const known = cached.get(id)
    return known && known.until > team.now() ? known : undefined
  }

  const find = async (shown: Presented): Promise<CachedToken | undefined> => {
    const before = changes
    const known = await load(shown.id)
    // A row that was read while a token changed may be outdated.
    if (!known || changes !== before) return known
    if (cached.size >= MOST) cached.delete(cached.keys().next().value!)
    cached.set(shown.id, known)
    return known
  }

  /** Notifications of other servers may get lost: finds out what they did. */
  const revalidate = async () => {
    const ids = [...cached].flatMap(([id, { kind }]) => (kind === 'device' ? [id] : []))
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const chunk = ids.slice(from, from + AT_ONCE)
      const before = changes
      const rows = await lookUp(team, chunk)
      if (changes !== before) continue
      for (const id of chunk) {
        const [old, now] = [cached.get(id), rows.get(id)]
        if (!old) continue
        if (now) cached.set(id, now)
        else cached.delete(id)
        if (!now || isOver(now) || now.device?.group !== old.device?.group)
          for (const listener of listeners) listener(old.owner)
      }
    }
  }
  const isOver = (known: CachedToken) => complaint(known, team) !== undefined
  let checking = Promise.resolve()
  const timer = setInterval(() => {
    checking = checking
      .then(revalidate)
      .catch(error =>
        team.log.warn('Cached tokens could not be checked', { error: (error as Error).message }),
      )
  }, checkMs).unref()

  const tooMany = (network: string): boolean => {
    const current = Math.floor(team.now() / MINUTE_MS)
    if (current !== minute) unknown.clear()
    minute = current
    return (unknown.get(network) ?? 0) >= MOST_UNKNOWN
  }

  const judge = (known: CachedToken, address: string): DeviceActor | Person | Nobody => {
    const because = complaint(known, team)
    if (because) return { kind: 'nobody', address, because }
    if (known.device) {
      seen.device(known.owner)
      return { kind: 'device', deviceId: known.owner, enrolled: known.device, address }
    }
    seen.token(known.id)
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
    let known = recall(shown.id)
    if (!known && !welcome.has(shown.id) && tooMany(network)) {
      return nobody('Too many unknown tokens came from your address. Try again in a minute.')
    }
    known ??= await find(shown)
    if (!known || !isOf(known, shown) || !fits(shown.secret, known.hash)) {
      unknown.set(network, (unknown.get(network) ?? 0) + 1)
      return nobody('This server does not know the token. Sign in again, or create a new one.')
    }
    if (welcome.size >= MOST) welcome.clear()
    welcome.add(shown.id)
    // A renewed token replaces the old one at its first use: a device that never received it still has the old one.
    const isFirstUse = known.kind === 'device' && !known.isInUse && !isOver(known)
    if (!isFirstUse) return judge(known, address)
    const { owner } = known
    const isPromoted = await team.store.write(tx => promoteToken(tx, owner, shown.id, team.now()))
    team.hub.changed('tokens', owner)
    return judge({ ...known, isRevoked: !isPromoted }, address)
  }

  return {
    bearer,
    device(authorization, address) {
      const shown = presented(authorization ?? '')
      if (shown?.prefix !== 'hfd') return undefined
      const known = recall(shown.id)
      const only = (actor: DeviceActor | Person | Nobody) => (actor.kind === 'device' ? actor : undefined)
      if (!known?.isInUse) return bearer(authorization!, address).then(only)
      return isOf(known, shown) && fits(shown.secret, known.hash) ? only(judge(known, address)) : undefined
    },
    onChange: listener => void listeners.add(listener),
    close() {
      clearInterval(timer)
      unsubscribe()
    },
  }
}

function presented(authorization: string): Presented | null {
  const token = /^bearer /i.test(authorization) ? read(authorization.slice(7).trim()) : null
  return token && (token.prefix === 'hfd' || token.prefix === 'hfp') && token.fingerprint === ''
    ? token
    : null
}

const isOf = ({ kind }: CachedToken, { prefix }: Presented): boolean =>
  prefix === (kind === 'device' ? 'hfd' : 'hfp')

const lower = (one: Role, other: Role): Role => (isAtLeast(one, other) ? other : one)

function complaint(
  { kind, expiresAt, isRevoked, isOwnerGone, label }: CachedToken,
  { now, url }: Team,
): string | undefined {
  const ended = `ended on ${new Date(expiresAt).toISOString().slice(0, 10)}`
  if (kind === 'device') {
    const again = 'Run "holdfast login" on it, or enrol it again with an enrolment key.'
    if (isOwnerGone) return `This device was removed from the team. ${again}`
    if (isRevoked) return `This token of the device was replaced or revoked. ${again}`
    return expiresAt <= now() ? `The token of this device ${ended}. ${again}` : undefined
  }
  const another = `Sign in at ${url} and create a new one.`
  if (isOwnerGone) return 'The member who made this token was removed from the team.'
  if (isRevoked) return `The token "${label}" was revoked. ${another}`
  return expiresAt <= now() ? `The token "${label}" ${ended}. ${another}` : undefined
}

async function lookUp(team: Team, ids: readonly string[]): Promise<Map<string, CachedToken>> {
  const rows = await ownedTokens(team.store.db, ids)
  return new Map(
    rows.map(row => {
      const { id, owner, kind } = row
      const isDevice = kind === 'device'
      const known: CachedToken = {
        id,
        kind,
        hash: Buffer.from(row.secret_hash, 'hex'),
        owner,
        name: row.email ?? '',
        role: row.role,
        memberRole: row.member_role ?? '',
        label: row.name,
        expiresAt: row.expires_at,
        isRevoked: row.revoked_at !== null,
        isOwnerGone: isDevice ? row.token_id === null || row.gone_at !== null : row.member_role === null,
        isInUse: row.token_id === id,
        device:
          isDevice && row.place !== null
            ? {
                id: owner,
                place: row.place,
                group: row.group ?? '',
                operating_system: row.operating_system ?? '',
              }
            : null,
        until: team.now() + CACHED_MS,
      }
      return [id, known]
    }),
  )
}
