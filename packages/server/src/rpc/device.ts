// DeviceService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { DeviceService } from '@holdfast/team'
import { deviceIn } from '../access/person.js'
import { receiveRpc } from '../audit/receive.js'
import { enrolRpc } from '../people/enrol.js'
import { deviceOf, report } from '../people/report.js'
import { watch } from '../push/watch.js'
import { deliver } from '../rollout/delivery.js'
import type { Team } from '../team.js'
import type { Parts } from './routes.js'

export const deviceRpc = (
  team: Team,
  { situations, watching }: Parts,
): Partial<ServiceImpl<typeof DeviceService>> => {
  return {
    ...enrolRpc(team),
    ...receiveRpc(team),
    async getTeamHooks(request, context) {
      const device = await deviceOf(team, deviceIn(context).deviceId)
      const answer = await deliver(team, device, await situations.current(), request)
      context.responseHeader.set('etag', answer.etag)
      return answer
    },
    watch(_request, context) {
      const { id: tokenId, asOf } = deviceIn(context).token!
      return watch(watching, { tokenId, asOf }, context.signal)
    },
    async report(request, context) {
      await report(team, deviceIn(context).deviceId, request)
      return {}
    },
  }
}
