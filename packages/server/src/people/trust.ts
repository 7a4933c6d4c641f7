// What devices pin: the chain of trust as the store holds it, and the fingerprint of its beginning.

import { fingerprintOf, sayFingerprint } from '@holdfast/team'
import { Refusal } from '../refusal.js'
import { messageOfSeal } from '../rollout/delivery.js'
import { chainIn, UNSIGNED_TEAM } from '../rollout/keys.js'
import type { Db, Tx } from '../store/open.js'

export const trustChain = async (db: Db | Tx) => (await chainIn(db)).map(messageOfSeal)

/** Empty while the team has no keys. */
export async function fingerprint(db: Db | Tx): Promise<string> {
  const [first] = await chainIn(db)
  return first ? fingerprintOf(first) : ''
}

export async function mustHaveKeys(db: Db | Tx): Promise<string> {
  const found = await fingerprint(db)
  if (found) return found
  throw new Refusal('not-now', UNSIGNED_TEAM)
}

/** As people compare it: 24 digits in groups of four. */
export const forEyes = sayFingerprint
