// Registers every service.

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
import type { Deliver } from '../rollout/delivery.js'
import { rulesBy, type Situations } from '../rollout/situation.js'
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

/** Built once, for all calls. */
export interface ServiceParts {
  readonly situations: Situations
  readonly deliver: Deliver
  readonly about: About
}

export const routes = (team: Team, parts: ServiceParts) => (router: ConnectRouter) => {
  const rules = rulesBy(team, parts.situations)
  return router
    .service(AuditService, auditRpc(team, rules))
    .service(DeviceService, deviceRpc(team, parts))
    .service(DevicesService, devicesRpc(team, rules))
    .service(HooksService, hooksRpc(team, rules))
    .service(KeysService, keysRpc(team))
    .service(PeopleService, peopleRpc(team, parts.about))
    .service(ReplayService, replayRpc(team))
    .service(RolloutService, rolloutRpc(team, rules))
}
