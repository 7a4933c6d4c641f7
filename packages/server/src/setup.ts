// The first start of a server makes its team; every later one finds it.

import { randomBytes } from 'node:crypto'
import type { Store } from './store/open.js'
import type { TeamRow } from './store/schema.js'
import { findTeam, insertTeam } from './store/team.js'

/** The default. RolloutSettings of the protocol, as JSON. */
export const ROLLOUT = {
  rings: [
    { name: 'canary', share: 0.05 },
    { name: 'early', share: 0.25 },
    { name: 'all', share: 1 },
  ],
  soakMinutes: 60,
  failureLimit: 0.05,
  denialLimit: 0.2,
  releaseDays: 365,
  revertDepth: 10,
  records: 'managed',
  fourEyes: false,
} as const

const RECORD_DAYS = 90

/** Of two servers that start together one creates the team, and both load the same. */
export async function createTeam(store: Store, name: string, now: number): Promise<TeamRow> {
  return store.write(async tx => {
    await insertTeam(tx, {
      one: 1,
      id: randomBytes(8).toString('hex'),
      name,
      salt: randomBytes(16).toString('hex'),
      rollout: JSON.stringify(ROLLOUT),
      record_days: RECORD_DAYS,
      killed: 0,
      killed_because: '',
      created_at: now,
    })
    return (await findTeam(tx))!
  })
}
