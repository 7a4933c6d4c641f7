// Keys follow one another: the next trust version, made here or signed elsewhere, and what it changes.

import {
  generateKeys,
  keyIdOf,
  type Sealed,
  seal,
  type TrustPayload,
  walkTrust,
  writeSignatures,
  writeTrust,
} from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { Refusal } from '../refusal.js'
import type { Tx } from '../store/open.js'
import type { TeamKeyRow } from '../store/schema.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { addKey, addTrust, heldKey, hex, mustBeSound, signWith, trustIn } from './keys.js'

export interface Rotation {
  readonly use: 'release' | 'lease' | 'root'
  /** Of a key that is kept elsewhere; without it one is made here. */
  readonly publicKey: Uint8Array | null
  /** Ends the numbering of a stolen release key. */
  readonly newEpoch: boolean
}

/** The next trust version, with one key in the place of the one before it. Without the root key here it waits for it. */
export async function rotate(
  team: Team,
  actor: Person,
  { use, publicKey, newEpoch }: Rotation,
): Promise<{ version: number; unsigned: Sealed | null }> {
  if (publicKey) mustBeSound(publicKey)
  if (use === 'lease' && publicKey) {
    throw new Refusal('invalid', 'The lease key is always on the server, as it signs every hour.')
  }
  const now = team.now()
  const result = await team.store.write(async tx => {
    await oneAtATime(tx)
    const old = await trustIn(tx)
    const made = publicKey ? null : generateKeys()
    const fresh = publicKey ?? made!.publicKey
    await mustBeNew(tx, fresh)
    const root = await heldKey(tx, team.secrets, old.roots)
    const next: TrustPayload = {
      ...old,
      version: old.version + 1,
      epoch: old.epoch + (newEpoch ? 1 : 0),
      roots: use === 'root' ? [...(await otherRoots(tx, old, root?.publicKey)), hex(fresh)] : old.roots,
      release_keys: use === 'release' ? [hex(fresh)] : old.release_keys,
      lease_keys: use === 'lease' ? [hex(fresh)] : old.lease_keys,
      issued_at: new Date(now).toISOString(),
    }
    const signers = [root?.privateKey, use === 'root' ? made?.privateKey : undefined]
    const sealed = seal('trust', writeTrust(next), ...signers.filter(key => key !== undefined))
    const isWhole = walkTrust(old, '', [sealed]).refusal === undefined
    if (made || isWhole) {
      await addKey(tx, team.secrets, now, { use, publicKey: fresh, privateKey: made?.privateKey ?? null })
    }
    const detail = { use, key: keyIdOf(fresh), epoch: next.epoch, kept: made ? 'server' : 'elsewhere' }
    if (isWhole) await take(tx, team, old, sealed)
    await append(tx, actor, now, {
      action: isWhole ? 'keys.rotate' : 'keys.prepare',
      subject: `trust ${next.version}`,
      detail,
    })
    return { version: next.version, unsigned: isWhole ? null : sealed }
  })
  team.hub.changed('releases')
  return result
}

/** A key that was there before may be in other hands, whatever it was for. */
async function mustBeNew(tx: Tx, publicKey: Uint8Array): Promise<void> {
  const known = await tx
    .selectFrom('team_keys')
    .select('id')
    .where('id', '=', keyIdOf(publicKey))
    .executeTakeFirst()
  if (known) throw new Refusal('exists', 'The team has had this key before. Make a new one.')
}

/** All but the one whose place is taken: the one that is here or, with none here, those that are not for recovery. */
async function otherRoots(tx: Tx, { roots }: TrustPayload, here: string | undefined): Promise<string[]> {
  if (here !== undefined) return roots.filter(key => key !== here)
  const rows = await tx.selectFrom('team_keys').select('public_key').where('use', '=', 'recovery').execute()
  const recovery = new Set(rows.map(row => hex(row.public_key)))
  return roots.filter(key => recovery.has(key))
}

/** A trust version that was signed elsewhere. */
export async function submitTrust(team: Team, actor: Person, sealed: Sealed): Promise<number> {
  const now = team.now()
  const version = await team.store.write(async tx => {
    await oneAtATime(tx)
    const old = await trustIn(tx)
    const root = await heldKey(tx, team.secrets, old.roots)
    const next = await take(tx, team, old, sealed)
    // Beside a root key that stays here, another one can only be for the day when it is lost.
    const isRootHere = root !== null && next.roots.includes(root.publicKey)
    const uses = {
      [isRootHere ? 'recovery' : 'root']: next.roots,
      release: next.release_keys,
      lease: next.lease_keys,
    }
    const known = new Set((await tx.selectFrom('team_keys').select('id').execute()).map(({ id }) => id))
    for (const [use, keys] of Object.entries(uses)) {
      for (const key of keys.map(text => new Uint8Array(Buffer.from(text, 'hex')))) {
        const id = keyIdOf(key)
        if (known.has(id)) continue
        known.add(id)
        await addKey(tx, team.secrets, now, {
          use: use as TeamKeyRow['use'],
          publicKey: key,
          privateKey: null,
        })
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
async function take(tx: Tx, team: Team, old: TrustPayload, sealed: Sealed): Promise<TrustPayload> {
  const now = team.now()
  const { trust, refusal } = walkTrust(old, '', [sealed])
  if (!trust || refusal) throw new Refusal('invalid', refusal?.message ?? 'The trust cannot be read.')
  if (!(await heldKey(tx, team.secrets, trust.lease_keys))) {
    throw new Refusal(
      'invalid',
      'It names no lease key of this server, and without one no device takes anything.',
    )
  }
  await addTrust(tx, trust.version, sealed, now)
  const counts = new Set([...trust.roots, ...trust.release_keys, ...trust.lease_keys])
  const rows = await tx.selectFrom('team_keys').select(['id', 'public_key', 'retired_at']).execute()
  for (const row of rows) {
    const isRetired = !counts.has(hex(row.public_key))
    if (isRetired === (row.retired_at !== null)) continue
    // What no longer counts need not be kept: a key that is gone cannot be stolen.
    await tx
      .updateTable('team_keys')
      .set(isRetired ? { retired_at: now, private_key: null } : { retired_at: null })
      .where('id', '=', row.id)
      .execute()
  }
  if (hasChanged(old.release_keys, trust.release_keys)) await signAgain(tx, team, trust)
  return trust
}

const hasChanged = (before: readonly string[], after: readonly string[]): boolean =>
  before.some(key => !after.includes(key))

/** No device that comes from now on would take what only the old key has signed. */
async function signAgain(tx: Tx, { secrets }: Team, trust: TrustPayload): Promise<void> {
  const key = await heldKey(tx, secrets, trust.release_keys)
  if (!key) return
  const rows = await tx
    .selectFrom('releases')
    .select(['number', 'payload'])
    .where('signatures', '<>', '[]')
    .execute()
  for (const { number, payload } of rows) {
    const signature = signWith('release', new Uint8Array(payload), key.privateKey)
    await tx
      .updateTable('releases')
      .set({ signatures: JSON.stringify(writeSignatures([signature])) })
      .where('number', '=', number)
      .execute()
  }
}
