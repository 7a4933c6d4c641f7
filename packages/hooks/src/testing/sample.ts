// A ready payload of each event, as a hook of each version would read it.

import type { EventName } from '../protocol/events.js'
import type { Payload } from '../protocol/payload.js'
import type { ProfileName } from '../protocol/profiles.js'
import { samplePayload } from '../protocol/samples.js'

/** A copy: change it as you like. Undefined where the version does not have the event. */
export function sample<E extends EventName>(event: E, profile?: 'holdfast'): Payload<E>
export function sample(event: EventName, profile: ProfileName): Record<string, unknown> | undefined
export function sample(
  event: EventName,
  profile: ProfileName = 'holdfast',
): Record<string, unknown> | undefined {
  const payload = samplePayload(event, profile)
  return payload && structuredClone(payload)
}
