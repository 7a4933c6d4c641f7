// KeysService: translates messages and calls domain functions.

import type { ServiceImpl } from '@connectrpc/connect'
import { fingerprintOf, type KeysService } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { RequestError } from '../request-error.js'
import { messageOfEnvelope } from '../rollout/delivery.js'
import { chainIn, firstTrust } from '../rollout/keys.js'
import { prepareKey, submitTrust } from '../rollout/rotate.js'
import { allKeys } from '../store/keys.js'
import type { Team } from '../team.js'

export const keysRpc = (team: Team): Partial<ServiceImpl<typeof KeysService>> => ({
  async getTrust() {
    const { db } = team.store
    const [chain, first] = [await chainIn(db), await firstTrust(db)]
    const keys = await allKeys(db)
    return {
      chain: chain.map(messageOfEnvelope),
      fingerprint: first ? fingerprintOf(first) : '',
      keys: keys.map(key => ({
        id: key.id,
        use: key.use,
        kept: key.private_key === null ? 'elsewhere' : 'server',
        createdAt: new Date(key.created_at).toISOString(),
        retired: key.retired_at !== null,
      })),
      ...(first && chain.length === 0 ? { unsigned: messageOfEnvelope(first) } : {}),
    }
  },
  async prepareKey({ use }, context) {
    if (use !== 'release' && use !== 'lease')
      throw new RequestError('invalid', `use is "${use}"; expected release or lease.`)
    return { publicKey: await prepareKey(team, personIn(context), use) }
  },
  async submitTrust({ trust }, context) {
    if (!trust) throw new RequestError('invalid', 'trust is missing.')
    return { version: await submitTrust(team, personIn(context), trust) }
  },
})
