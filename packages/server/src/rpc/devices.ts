// DevicesService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { DevicesService } from '@holdfast/team'
import type { Team } from '../team.js'

export const devicesRpc = (_team: Team): Partial<ServiceImpl<typeof DevicesService>> => ({})
