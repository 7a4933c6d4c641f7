// ReplayService: translates messages and calls domain functions.

import type { ServiceImpl } from '@connectrpc/connect'
import type { ReplayService } from '@holdfast/team'
import { whatIf } from '../replay/what-if.js'
import { RequestError } from '../request-error.js'
import type { Team } from '../team.js'

export const replayRpc = (team: Team): Partial<ServiceImpl<typeof ReplayService>> => {
  /** One at a time, so that replays do not slow down devices. */
  let isBusy = false
  return {
    async *whatIf(request, context) {
      if (isBusy) throw new RequestError('not-now', 'Another replay is running. Try again when it has ended.')
      isBusy = true
      try {
        yield* whatIf(team, request, context.signal)
      } finally {
        isBusy = false
      }
    },
  }
}
