// DeviceService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { DeviceService } from '@holdfast/team'
import type { Team } from '../team.js'

export const deviceRpc = (_team: Team): Partial<ServiceImpl<typeof DeviceService>> => ({})
