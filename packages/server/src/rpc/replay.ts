// ReplayService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { ReplayService } from '@holdfast/team'
import { Refusal } from '../refusal.js'
import { whatIf } from '../replay/what-if.js'
import type { Team } from '../team.js'

export const replayRpc = (team: Team): Partial<ServiceImpl<typeof ReplayService>> => {
  /** One at a time, so that nobody's curiosity takes the machine from the devices. */
  let isBusy = false
  return {
    async *whatIf(request, context) {
      if (isBusy) throw new Refusal('not-now', 'Another replay is running. Try again when it has ended.')
      isBusy = true
      try {
        yield* whatIf(team, request, context.signal)
      } finally {
        isBusy = false
      }
    },
  }
}
