// The keys of a new team, and the first trust version, by which every device will know it.

import { fingerprintOf, generateKeys, seal, type TrustPayload, writeTrust } from '@holdfast/team'
import { append } from '../audit/chain.js'
import type { Secrets } from '../secrets.js'
import type { Store } from '../store/open.js'
import type { TeamKeyRow } from '../store/schema.js'
import { oneAtATime } from '../store/turn.js'
import { addKey, addTrust, chainIn, hex, mustBeSound } from './keys.js'

export interface Founded {
  readonly fingerprint: string
  /** Only at the very first start: the recovery key, which is kept nowhere. */
  readonly recoveryKey: Uint8Array | null
}

export interface FoundOptions {
  readonly teamId: string
  readonly teamName: string
  readonly now: number
  /** The public half of a release key that is kept elsewhere. */
  readonly releaseKey?: Uint8Array | undefined
}

/** Of two servers that start together one makes the keys. */
export async function foundKeys(store: Store, secrets: Secrets, options: FoundOptions): Promise<Founded> {
  const { teamId, teamName, now, releaseKey } = options
  return store.write(async tx => {
    await oneAtATime(tx)
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
      detail: { name: teamName, fingerprint: fingerprintOf(first) },
    })
    return { fingerprint: fingerprintOf(first), recoveryKey: recovery.privateKey }
  })
}
