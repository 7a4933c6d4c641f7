// ReplayService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { ReplayService } from '@holdfast/team'
import type { Team } from '../team.js'

export const replayRpc = (_team: Team): Partial<ServiceImpl<typeof ReplayService>> => ({})
