// RolloutService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { RolloutService } from '@holdfast/team'
import type { Team } from '../team.js'

export const rolloutRpc = (_team: Team): Partial<ServiceImpl<typeof RolloutService>> => ({})
