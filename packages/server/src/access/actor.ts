// The caller. Determined once, on arrival; services do not read headers.

import { createContextKey } from '@connectrpc/connect'
import type { Role } from '../roles.js'
import type { DeviceRow } from '../store/schema.js'

/** The columns that decide which release a device gets. */
export type EnrolledDevice = Pick<DeviceRow, 'id' | 'place' | 'group' | 'operating_system'>

export type Actor =
  | {
      readonly kind: 'nobody'
      readonly address: string
      /** Why the credentials are rejected, and what to do about it. */
      readonly because?: string
    }
  | {
      readonly kind: 'device'
      readonly deviceId: string
      /** None while it is being enrolled. */
      readonly enrolled?: EnrolledDevice
      readonly address: string
    }
  | {
      readonly kind: 'person'
      readonly userId: string
      /** The email address: display names are free to choose, and may be alike. */
      readonly name: string
      readonly role: Role
      readonly via: 'session' | 'token'
      readonly address: string
    }

export type Nobody = Extract<Actor, { kind: 'nobody' }>
export type Person = Extract<Actor, { kind: 'person' }>
export type DeviceActor = Extract<Actor, { kind: 'device' }>

/** An actor, and the cookies of a session that was renewed on the way. */
export interface Caller {
  readonly actor: Actor
  readonly cookies: readonly string[]
  /** The page that lifts the rejection of a session. */
  readonly location?: string
}

export const ACTOR = createContextKey<Actor>({ kind: 'nobody', address: '' })

/** The name of the actor in the audit log. */
export function nameOf(actor: Actor | 'server'): string {
  if (actor === 'server') return 'server'
  if (actor.kind === 'person') return actor.name
  return actor.kind === 'device' ? `device ${actor.deviceId}` : 'nobody'
}
