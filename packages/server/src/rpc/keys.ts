// KeysService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import { fingerprintOf, type KeysService } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { Refusal } from '../refusal.js'
import { messageOfSeal } from '../rollout/delivery.js'
import { chainIn } from '../rollout/keys.js'
import { rotate, submitTrust } from '../rollout/rotate.js'
import type { Team } from '../team.js'

const USES = ['release', 'lease', 'root'] as const
type Use = (typeof USES)[number]

export const keysRpc = (team: Team): Partial<ServiceImpl<typeof KeysService>> => ({
  async getTrust() {
    const { db } = team.store
    const chain = await chainIn(db)
    const keys = await db.selectFrom('team_keys').selectAll().orderBy('created_at').orderBy('id').execute()
    return {
      chain: chain.map(messageOfSeal),
      fingerprint: chain[0] ? fingerprintOf(chain[0]) : '',
      keys: keys.map(key => ({
        id: key.id,
        use: key.use,
        kept: key.private_key === null ? 'elsewhere' : 'server',
        createdAt: new Date(key.created_at).toISOString(),
        retired: key.retired_at !== null,
      })),
    }
  },
  async rotateKeys({ use, publicKey, newEpoch }, context) {
    if (!USES.includes(use as Use)) {
      throw new Refusal('invalid', `use is "${use}"; expected ${USES.join(', ')}.`)
    }
    const { version, unsigned } = await rotate(team, personIn(context), {
      use: use as Use,
      publicKey: publicKey.length === 0 ? null : publicKey,
      newEpoch,
    })
    return { version, ...(unsigned ? { unsigned: messageOfSeal(unsigned) } : {}) }
  },
  async submitTrust({ trust }, context) {
    if (!trust) throw new Refusal('invalid', 'trust is missing.')
    return { version: await submitTrust(team, personIn(context), trust) }
  },
})
