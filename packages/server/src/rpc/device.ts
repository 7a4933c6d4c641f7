// DeviceService: translates messages and calls domain functions.

import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { DeviceService } from '@holdfast/team'
import { deviceIn } from '../access/person.js'
import { receiveRpc } from '../audit/receive.js'
import { enrolRpc } from '../people/enrol.js'
import { openReports } from '../people/report.js'
import { messageIn } from '../rollout/delivery.js'
import type { Team } from '../team.js'
import type { ServiceParts } from './routes.js'

export const deviceRpc = (
  team: Team,
  { situations, deliver }: ServiceParts,
): Partial<ServiceImpl<typeof DeviceService>> => {
  const report = openReports(team)
  return {
    ...enrolRpc(team),
    ...receiveRpc(team),
    async getTeamHooks(request, context) {
      const delivery = await deliver(deviceIn(context).enrolled!, await situations.current(), request)
      context.responseHeader.set('etag', delivery.etag)
      return messageIn(delivery)
    },
    // biome-ignore lint/correctness/useYield: a stream that ends with an error
    async *watch() {
      throw new ConnectError(
        'This server no longer supports streams. Update Holdfast on this device.',
        Code.Unimplemented,
      )
    },
    async report(request, context) {
      await report(deviceIn(context).deviceId, request)
      return {}
    },
  }
}
