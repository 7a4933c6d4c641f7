// The pins of devices: the chain of root metadata in the store, and its first fingerprint.

import { fingerprintOf, formatFingerprint } from '@holdfast/team'
import { RequestError } from '../request-error.js'
import { messageOfEnvelope } from '../rollout/delivery.js'
import { chainIn, UNSIGNED_TEAM } from '../rollout/keys.js'
import type { Db, Tx } from '../store/open.js'

export const trustChain = async (db: Db | Tx) => (await chainIn(db)).map(messageOfEnvelope)

/** Empty while the team has no keys. */
export async function fingerprint(db: Db | Tx): Promise<string> {
  const [first] = await chainIn(db)
  return first ? fingerprintOf(first) : ''
}

export async function mustHaveKeys(db: Db | Tx): Promise<string> {
  const found = await fingerprint(db)
  if (found) return found
  throw new RequestError('not-now', UNSIGNED_TEAM)
}

/** In the form for comparison: 24 digits in groups of four. */
export const forEyes = formatFingerprint
