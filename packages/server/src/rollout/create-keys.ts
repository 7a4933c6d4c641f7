// The keys of a new team and the first version of its root metadata, whose fingerprint every device pins.
//
// The server never stores a root key. Either it makes two, returns them once and erases them, or it is given the public
// halves of keys that were made elsewhere. In that case the team has no keys until all of these have signed, which also
// proves that each of them can be used.

import {
  type Envelope,
  fingerprintOf,
  generateKeys,
  signEnvelope,
  type TrustPayload,
  writeTrust,
} from '@holdfast/team'
import { append } from '../audit/chain.js'
import type { Secrets } from '../secrets.js'
import type { Store } from '../store/open.js'
import type { TeamKeyRow } from '../store/schema.js'
import { oneAtATime } from '../store/team.js'
import { addKey, addTrust, firstTrust, hex, requireSoundKey } from './keys.js'

export interface CreatedKeys {
  readonly fingerprint: string
  /** Only at the first start, unless they were made elsewhere. They are stored nowhere. */
  readonly rootKeys: readonly Uint8Array[]
}

/** Decisions that count only at the first start. Later ones are made in the root metadata. */
export interface KeyOptions {
  /** The public half of a release key that is kept elsewhere. */
  readonly releaseKey?: Uint8Array | undefined
  /** The public halves of root keys that are kept elsewhere. (default: two keys made by the server) */
  readonly rootKeys?: readonly Uint8Array[] | undefined
  /** How many root keys must sign a change of keys. (default: 1) */
  readonly rootThreshold?: number | undefined
  /** Whether the server may order devices to run no hooks. (default: true unless the release key is elsewhere) */
  readonly killByServer?: boolean | undefined
}

export interface CreateOptions extends KeyOptions {
  readonly teamId: string
  readonly teamName: string
  readonly now: number
}

const FEWEST_ROOTS = 2

/** Of two servers that start at the same time, one creates the keys. */
export async function createKeys(
  store: Store,
  secrets: Secrets,
  options: CreateOptions,
): Promise<CreatedKeys> {
  return store.write(async tx => {
    await oneAtATime(tx)
    const existing = await firstTrust(tx)
    if (existing) return { fingerprint: fingerprintOf(existing), rootKeys: [] }
    const { teamId, teamName, now, releaseKey, rootThreshold = 1 } = options
    const made = options.rootKeys ? [] : Array.from({ length: FEWEST_ROOTS }, generateKeys)
    const roots = options.rootKeys ?? made.map(({ publicKey }) => publicKey)
    const lease = generateKeys()
    const release = releaseKey ? null : generateKeys()
    const releasePublic = releaseKey ?? release!.publicKey
    for (const key of [releasePublic, ...roots]) requireSoundKey(key)
    const add = (use: TeamKeyRow['use'], publicKey: Uint8Array, privateKey: Uint8Array | null) =>
      addKey(tx, secrets, now, { use, publicKey, privateKey })
    for (const root of roots) await add('root', root, null)
    await add('lease', lease.publicKey, lease.privateKey)
    await add('release', releasePublic, release?.privateKey ?? null)
    const trust: TrustPayload = {
      team_id: teamId,
      version: 1,
      epoch: 0,
      roots: roots.map(hex),
      release_keys: [hex(releasePublic)],
      lease_keys: [hex(lease.publicKey)],
      kill_by_server: options.killByServer ?? releaseKey === undefined,
      issued_at: new Date(now).toISOString(),
      root_threshold: rootThreshold,
    }
    const first: Envelope = signEnvelope(
      'trust',
      writeTrust(trust),
      ...made.map(({ privateKey }) => privateKey),
    )
    await addTrust(tx, 1, first, now)
    await append(tx, 'server', now, {
      action: 'team.found',
      subject: `team ${teamId}`,
      detail: { name: teamName, fingerprint: fingerprintOf(first) },
    })
    return { fingerprint: fingerprintOf(first), rootKeys: made.map(({ privateKey }) => privateKey) }
  })
}

/** Why these options cannot be used together. */
export function keyOptionsProblem({
  releaseKey,
  rootKeys,
  rootThreshold = 1,
}: KeyOptions): string | undefined {
  const count = rootKeys?.length ?? FEWEST_ROOTS
  if (count < FEWEST_ROOTS)
    return `A team needs at least ${FEWEST_ROOTS} root keys, so that the loss of one can be repaired.`
  if (rootThreshold < 1 || rootThreshold > count)
    return `${rootThreshold} of ${count} root keys cannot be required; expected 1 to ${count}.`
  const all = [...(rootKeys ?? []), ...(releaseKey ? [releaseKey] : [])].map(hex)
  return new Set(all).size < all.length
    ? 'Each root key and the release key must be a key of its own.'
    : undefined
}
