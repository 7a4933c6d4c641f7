// Every service, at its place.

import type { ConnectRouter } from '@connectrpc/connect'
import {
  AuditService,
  DeviceService,
  DevicesService,
  HooksService,
  KeysService,
  PeopleService,
  ReplayService,
  RolloutService,
} from '@holdfast/team'
import type { About } from '../about.js'
import type { Watching } from '../push/watch.js'
import { intendedBy, type Situations } from '../rollout/situation.js'
import type { Team } from '../team.js'
import { auditRpc } from './audit.js'
import { deviceRpc } from './device.js'
import { devicesRpc } from './devices.js'
import { hooksRpc } from './hooks.js'
import { keysRpc } from './keys.js'
import { peopleRpc } from './people.js'
import { replayRpc } from './replay.js'
import { rolloutRpc } from './rollout.js'

export const SERVICES = [
  AuditService,
  DeviceService,
  DevicesService,
  HooksService,
  KeysService,
  PeopleService,
  ReplayService,
  RolloutService,
]

/** What is kept in memory, once for all calls. */
export interface Parts {
  readonly situations: Situations
  readonly watching: Watching
  readonly about: About
}

export const routes = (team: Team, parts: Parts) => (router: ConnectRouter) => {
  const intendedFor = intendedBy(team, parts.situations)
  return router
    .service(AuditService, auditRpc(team, intendedFor))
    .service(DeviceService, deviceRpc(team, parts))
    .service(DevicesService, devicesRpc(team, intendedFor))
    .service(HooksService, hooksRpc(team))
    .service(KeysService, keysRpc(team))
    .service(PeopleService, peopleRpc(team, parts.about))
    .service(ReplayService, replayRpc(team))
    .service(RolloutService, rolloutRpc(team))
}
