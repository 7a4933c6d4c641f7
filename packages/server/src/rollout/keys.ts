// The team's keys: made at the first start, hidden in the database, or kept elsewhere altogether. The chain of trust
// says which of them count.

import {
  fingerprintOf,
  generateKeys,
  keyIdOf,
  keyProblem,
  readSeal,
  type Sealed,
  type SealType,
  seal,
  signPayload,
  type TrustPayload,
  walkTrust,
  writeSeal,
  writeTrust,
} from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { Refusal } from '../refusal.js'
import type { Secrets } from '../secrets.js'
import type { Db, Store, Tx } from '../store/open.js'
import type { TeamKeyRow } from '../store/schema.js'
import type { Team } from '../team.js'

export interface Founded {
  readonly fingerprint: string
  /** Only at the very first start: the recovery key, which is kept nowhere. */
  readonly recoveryKey: Uint8Array | null
}

export interface FoundOptions {
  readonly teamId: string
  readonly now: number
  /** The public half of a release key that is kept elsewhere. */
  readonly releaseKey?: Uint8Array | undefined
}

/** Of two servers that start together one makes the keys. */
export async function foundKeys(store: Store, secrets: Secrets, options: FoundOptions): Promise<Founded> {
  const { teamId, now, releaseKey } = options
  return store.write(async tx => {
    // The team's row is changed first, so that a second process waits here.
    await tx
      .updateTable('team')
      .set(({ ref }) => ({ id: ref('id') }))
      .execute()
    const chain = await chainIn(tx)
    if (chain.length > 0) return { fingerprint: fingerprintOf(chain[0]!), recoveryKey: null }
    const root = generateKeys()
    const recovery = generateKeys()
    const lease = generateKeys()
    const release = releaseKey ? null : generateKeys()
    const releasePublic = releaseKey ?? release!.publicKey
    mustBeSound(releasePublic)
    const add = (use: TeamKeyRow['use'], publicKey: Uint8Array, privateKey: Uint8Array | null) =>
      addKey(tx, secrets, now, { use, publicKey, privateKey })
    await add('root', root.publicKey, root.privateKey)
    await add('recovery', recovery.publicKey, null)
    await add('lease', lease.publicKey, lease.privateKey)
    await add('release', releasePublic, release?.privateKey ?? null)
    const trust: TrustPayload = {
      team_id: teamId,
      version: 1,
      epoch: 0,
      roots: [hex(root.publicKey), hex(recovery.publicKey)],
      release_keys: [hex(releasePublic)],
      lease_keys: [hex(lease.publicKey)],
      kill_by_server: true,
      issued_at: new Date(now).toISOString(),
    }
    const first = seal('trust', writeTrust(trust), root.privateKey)
    await addTrust(tx, 1, first, now)
    await append(tx, 'server', now, {
      action: 'team.found',
      subject: `team ${teamId}`,
      detail: { fingerprint: fingerprintOf(first) },
    })
    return { fingerprint: fingerprintOf(first), recoveryKey: recovery.privateKey }
  })
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

async function addKey(
  tx: Tx,
  secrets: Secrets,
  now: number,
  key: { use: TeamKeyRow['use']; publicKey: Uint8Array; privateKey: Uint8Array | null },
): Promise<void> {
  await tx
    .insertInto('team_keys')
    .values({
      id: keyIdOf(key.publicKey),
      use: key.use,
      public_key: key.publicKey,
      private_key: key.privateKey && secrets.hide(key.privateKey),
      created_at: now,
      retired_at: null,
    })
    .execute()
}

const addTrust = (tx: Tx, version: number, sealed: Sealed, at: number) =>
  tx
    .insertInto('trust')
    .values({ version, seal: JSON.stringify(writeSeal(sealed)), at })
    .execute()

export async function chainIn(db: Db | Tx, above = 0): Promise<Sealed[]> {
  const rows = await db
    .selectFrom('trust')
    .select('seal')
    .where('version', '>', above)
    .orderBy('version')
    .execute()
  return rows.map(row => readSeal(JSON.parse(row.seal)))
}

/** The trust that counts now; the chain is checked as a device would check it. */
export async function trustIn(db: Db | Tx): Promise<TrustPayload> {
  const chain = await chainIn(db)
  const { trust, refusal } = walkTrust(undefined, chain[0] ? fingerprintOf(chain[0]) : '', chain)
  if (!trust || refusal) throw new Error(`the chain of trust is broken: ${refusal?.message ?? 'it is empty'}`)
  return trust
}

/** The key that signs here, or null when it is kept elsewhere. */
export async function signingKey(
  db: Db | Tx,
  secrets: Secrets,
  use: 'release' | 'lease' | 'root',
): Promise<Uint8Array | null> {
  const trust = await trustIn(db)
  const counts = { release: trust.release_keys, lease: trust.lease_keys, root: trust.roots }[use]
  const rows = await db.selectFrom('team_keys').select(['public_key', 'private_key']).execute()
  const here = rows.find(row => row.private_key !== null && counts.includes(hex(bytes(row.public_key))))
  return here ? secrets.show(bytes(here.private_key!)) : null
}

const bytes = (value: Uint8Array): Uint8Array => new Uint8Array(value)

export const signWith = (type: SealType, payload: Uint8Array, key: Uint8Array) =>
  signPayload(type, payload, key)

function mustBeSound(publicKey: Uint8Array): void {
  const problem = keyProblem(publicKey)
  if (problem) throw new Refusal('invalid', `That key cannot be used: ${problem}.`)
}

export interface Rotation {
  readonly use: 'release' | 'lease' | 'root'
  /** Of a key that is kept elsewhere; without it one is made here. */
  readonly publicKey: Uint8Array | null
  /** Ends the numbering of a stolen release key. */
  readonly newEpoch: boolean
}

/** The next trust version, with one key in the place of the one before it. */
export async function rotate(
  team: Team,
  secrets: Secrets,
  actor: Person,
  { use, publicKey, newEpoch }: Rotation,
): Promise<{ version: number; unsigned: Sealed | null }> {
  if (publicKey) mustBeSound(publicKey)
  if (use === 'lease' && publicKey) {
    throw new Refusal('invalid', 'The lease key is always on the server, as it signs every hour.')
  }
  const now = team.now()
  const result = await team.store.write(async tx => {
    const old = await trustIn(tx)
    const made = publicKey ? null : generateKeys()
    const fresh = publicKey ?? made!.publicKey
    const root = await signingKey(tx, secrets, 'root')
    const rows = await tx.selectFrom('team_keys').select(['id', 'use', 'public_key']).execute()
    const counts = (own: string) =>
      use !== 'root' || rows.some(row => row.use === 'recovery' && hex(bytes(row.public_key)) === own)
    const replaced = (keys: readonly string[]) => [
      ...keys.filter(key => use === 'root' && counts(key)),
      hex(fresh),
    ]
    const next: TrustPayload = {
      ...old,
      version: old.version + 1,
      epoch: old.epoch + (newEpoch ? 1 : 0),
      roots: use === 'root' ? replaced(old.roots) : old.roots,
      release_keys: use === 'release' ? [hex(fresh)] : old.release_keys,
      lease_keys: use === 'lease' ? [hex(fresh)] : old.lease_keys,
      issued_at: new Date(now).toISOString(),
    }
    const payload = writeTrust(next)
    if (!root) {
      if (made)
        throw new Refusal(
          'not-now',
          'The root key is kept elsewhere. Make the new key there, too, and name it.',
        )
      return { version: next.version, unsigned: { type: 'trust', payload, signatures: [] } as Sealed }
    }
    const signers = use === 'root' && made ? [root, made.privateKey] : [root]
    await addKey(tx, secrets, now, { use, publicKey: fresh, privateKey: made?.privateKey ?? null })
    await take(tx, old, seal('trust', payload, ...signers), now)
    await append(tx, actor, now, {
      action: 'keys.rotate',
      subject: `trust ${next.version}`,
      detail: { use, key: keyIdOf(fresh), epoch: next.epoch, kept: made ? 'server' : 'elsewhere' },
    })
    return { version: next.version, unsigned: null }
  })
  team.hub.changed('releases')
  return result
}

/** A trust version that was signed elsewhere. */
export async function submitTrust(team: Team, actor: Person, sealed: Sealed): Promise<number> {
  const now = team.now()
  const version = await team.store.write(async tx => {
    const old = await trustIn(tx)
    const next = await take(tx, old, sealed, now)
    const known = new Set((await tx.selectFrom('team_keys').select('id').execute()).map(({ id }) => id))
    const uses = { root: next.roots, release: next.release_keys, lease: next.lease_keys } as const
    for (const [use, keys] of Object.entries(uses)) {
      for (const key of keys.map(text => new Uint8Array(Buffer.from(text, 'hex')))) {
        const id = keyIdOf(key)
        if (known.has(id)) continue
        known.add(id)
        await tx
          .insertInto('team_keys')
          .values({
            id,
            use: use as TeamKeyRow['use'],
            public_key: key,
            private_key: null,
            created_at: now,
            retired_at: null,
          })
          .execute()
      }
    }
    await append(tx, actor, now, {
      action: 'keys.trust',
      subject: `trust ${next.version}`,
      detail: { epoch: next.epoch },
    })
    return next.version
  })
  team.hub.changed('releases')
  return version
}

/** As every device will check it: what they would refuse is refused here. */
async function take(tx: Tx, old: TrustPayload, sealed: Sealed, now: number): Promise<TrustPayload> {
  const { trust, refusal } = walkTrust(old, '', [sealed])
  if (!trust || refusal) throw new Refusal('invalid', refusal?.message ?? 'The trust cannot be read.')
  if (trust.lease_keys.length === 0)
    throw new Refusal('invalid', 'Without a lease key no device takes anything.')
  await addTrust(tx, trust.version, sealed, now)
  const counts = new Set([...trust.roots, ...trust.release_keys, ...trust.lease_keys])
  const rows = await tx.selectFrom('team_keys').select(['id', 'public_key', 'retired_at']).execute()
  for (const row of rows) {
    const isRetired = !counts.has(hex(bytes(row.public_key)))
    if (!isRetired || row.retired_at !== null) continue
    // What no longer counts need not be kept: a key that is gone cannot be stolen.
    await tx
      .updateTable('team_keys')
      .set({ retired_at: now, private_key: null })
      .where('id', '=', row.id)
      .execute()
  }
  return trust
}
