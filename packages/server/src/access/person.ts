// Who called, for what only people or only devices do. The door has let nobody else through.

import type { HandlerContext } from '@connectrpc/connect'
import { Refusal } from '../refusal.js'
import { ACTOR, type DeviceActor, type Person } from './actor.js'

export function personIn({ values }: HandlerContext): Person {
  const actor = values.get(ACTOR)
  if (actor.kind !== 'person') throw new Refusal('forbidden', 'Only people do this.')
  return actor
}

export function deviceIn({ values }: HandlerContext): DeviceActor {
  const actor = values.get(ACTOR)
  if (actor.kind !== 'device') throw new Refusal('forbidden', 'Only devices do this.')
  return actor
}
