// The caller, for methods of users only or of devices only. Authentication has rejected all others.

import type { HandlerContext } from '@connectrpc/connect'
import { RequestError } from '../request-error.js'
import { ACTOR, type DeviceActor, type Person } from './actor.js'

export function personIn({ values }: HandlerContext): Person {
  const actor = values.get(ACTOR)
  if (actor.kind !== 'person') throw new RequestError('forbidden', 'Only users can do this.')
  return actor
}

export function deviceIn({ values }: HandlerContext): DeviceActor {
  const actor = values.get(ACTOR)
  if (actor.kind !== 'device') throw new RequestError('forbidden', 'Only devices can do this.')
  return actor
}
