// DeviceService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { DeviceService } from '@holdfast/team'
import { enrolRpc } from '../people/enrol.js'
import type { Team } from '../team.js'

export const deviceRpc = (team: Team): Partial<ServiceImpl<typeof DeviceService>> => ({
  ...enrolRpc(team),
})
