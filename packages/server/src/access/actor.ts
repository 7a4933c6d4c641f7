// Who calls. Found once, at the door; nobody inside looks at a header.

import { createContextKey } from '@connectrpc/connect'
import type { Role } from './methods.js'

export type Actor =
  | { readonly kind: 'nobody'; readonly address: string }
  | { readonly kind: 'device'; readonly deviceId: string; readonly address: string }
  | {
      readonly kind: 'person'
      readonly userId: string
      readonly name: string
      readonly role: Role
      readonly via: 'session' | 'token'
      readonly address: string
    }

export type Person = Extract<Actor, { kind: 'person' }>
export type DeviceActor = Extract<Actor, { kind: 'device' }>

export const ACTOR = createContextKey<Actor>({ kind: 'nobody', address: '' })
