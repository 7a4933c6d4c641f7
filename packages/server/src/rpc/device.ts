// DeviceService: messages in, domain functions, messages out.

import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { DeviceService } from '@holdfast/team'
import { deviceIn } from '../access/person.js'
import { receiveRpc } from '../audit/receive.js'
import { enrolRpc } from '../people/enrol.js'
import { report } from '../people/report.js'
import { openDelivery } from '../rollout/delivery.js'
import type { Team } from '../team.js'
import type { Parts } from './routes.js'

export const deviceRpc = (team: Team, { situations }: Parts): Partial<ServiceImpl<typeof DeviceService>> => {
  const deliver = openDelivery(team)
  return {
    ...enrolRpc(team),
    ...receiveRpc(team),
    async getTeamHooks(request, context) {
      const answer = await deliver(deviceIn(context).enrolled!, await situations.current(), request)
      context.responseHeader.set('etag', answer.etag)
      return answer
    },
    // biome-ignore lint/correctness/useYield: a stream that ends with an error
    async *watch() {
      throw new ConnectError(
        'This server has no streams any more. Update Holdfast on this device.',
        Code.Unimplemented,
      )
    },
    async report(request, context) {
      await report(team, deviceIn(context).deviceId, request)
      return {}
    },
  }
}
