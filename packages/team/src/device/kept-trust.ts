// The chain of trust as it was received, one file for each version.

import { join } from 'node:path'
import type { Sealed } from '../seal/bytes.js'
import { LIMITS } from '../seal/limits.js'
import { readTrust, type TrustPayload, walkTrust } from '../seal/trust.js'
import { parseSeal, writeSeal } from '../seal/written.js'
import { type Disk, jsonBytes } from './disk.js'
import type { Place } from './place.js'
import { readPlain } from './read.js'

export interface KeptTrust {
  /** The newest; none if the chain is lost. */
  readonly trust: TrustPayload | undefined
  /** All keys that ever counted: what was taken under an older version stays. */
  readonly releaseKeys: readonly string[]
  readonly leaseKeys: readonly string[]
}

const MOST = 2 * LIMITS.payload.trust

export function loadTrust(place: Place, fingerprint: string): KeptTrust {
  const chain: Sealed[] = []
  while (chain.length < LIMITS.trustVersions) {
    const file = readPlain(fileOf(place, chain.length + 1), MOST)
    const sealed = file && parseSeal(file)
    if (!sealed) break
    chain.push(sealed)
  }
  // What does not follow is as good as lost: the server sends it again.
  const { trust, taken } = walkTrust(undefined, fingerprint, chain)
  return keptOf(trust, taken)
}

export function keptOf(trust: TrustPayload | undefined, taken: readonly Sealed[]): KeptTrust {
  const versions = taken.flatMap(sealed => {
    const read = readTrust(sealed)
    return 'code' in read ? [] : [read]
  })
  return {
    trust,
    releaseKeys: [...new Set(versions.flatMap(version => version.release_keys))],
    leaseKeys: [...new Set(versions.flatMap(version => version.lease_keys))],
  }
}

export function saveTrust(place: Place, disk: Disk, last: number, added: readonly Sealed[]): void {
  if (added.length === 0) return
  disk.folder(place.trust)
  added.forEach((sealed, index) => {
    disk.replace(fileOf(place, last + index + 1), jsonBytes(writeSeal(sealed)), 0o400)
  })
}

const fileOf = (place: Place, version: number): string => join(place.trust, `${version}.json`)
