// DeviceService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { DeviceService } from '@holdfast/team'
import { deviceIn } from '../access/person.js'
import { deviceOf, report } from '../people/devices.js'
import { deliver } from '../rollout/delivery.js'
import { keepSituation } from '../rollout/situation.js'
import type { Team } from '../team.js'

export const deviceRpc = (team: Team): Partial<ServiceImpl<typeof DeviceService>> => {
  const situations = keepSituation(team)
  return {
    async getTeamHooks(request, context) {
      const device = await deviceOf(team, deviceIn(context).deviceId)
      const answer = await deliver(team, team.secrets, device, await situations.current(), request)
      context.responseHeader.set('etag', answer.etag)
      return answer
    },
    async report(request, context) {
      await report(team, deviceIn(context).deviceId, request)
      return {}
    },
  }
}
