// The door of every call: who is it, and may they. What is refused here is counted, and never reaches the inside.

import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { Refusal, type RefusalCode } from '../refusal.js'
import type { Log } from '../team.js'
import { ACTOR, type Actor } from './actor.js'
import { isAtLeast, METHODS } from './methods.js'

const CODES: Readonly<Record<RefusalCode, Code>> = {
  invalid: Code.InvalidArgument,
  missing: Code.NotFound,
  exists: Code.AlreadyExists,
  stale: Code.Aborted,
  'not-now': Code.FailedPrecondition,
  forbidden: Code.PermissionDenied,
  'unknown-caller': Code.Unauthenticated,
  'too-much': Code.ResourceExhausted,
}

export function mayCall(method: string, actor: Actor): Refusal | null {
  const allowed = METHODS[method]
  if (allowed === undefined) return new Refusal('forbidden', `Nobody may call ${method}.`)
  if (allowed === 'anybody') return null
  if (actor.kind === 'nobody') return new Refusal('unknown-caller', 'Sign in first.')
  if (allowed === 'device') {
    return actor.kind === 'device' ? null : new Refusal('forbidden', 'Only devices call this.')
  }
  if (actor.kind !== 'person')
    return new Refusal('forbidden', 'A device cannot do this. Sign in as a person.')
  return isAtLeast(actor.role, allowed)
    ? null
    : new Refusal('forbidden', `This needs the role ${allowed}; yours is ${actor.role}.`)
}

export function door(identify: (headers: Headers) => Promise<Actor>, log: Log): Interceptor {
  return next => async request => {
    const method = `${request.service.typeName.split('.').at(-1)}/${request.method.name}`
    try {
      const actor = await identify(request.header)
      const refusal = mayCall(method, actor)
      if (refusal) throw refusal
      request.contextValues.set(ACTOR, actor)
      return await next(request)
    } catch (error) {
      if (error instanceof Refusal) throw new ConnectError(error.message, CODES[error.code])
      if (error instanceof ConnectError) throw error
      const id = crypto.randomUUID()
      log.error('a call failed', { method, id, error: (error as Error).stack })
      throw new ConnectError(`The server failed. Its log tells more under ${id}.`, Code.Internal)
    }
  }
}
