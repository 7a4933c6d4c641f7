// Authentication and authorisation of every call. Refused calls are counted and never reach a service.

import { Code, ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect'
import { RequestError, type RequestErrorCode } from '../request-error.js'
import { isAtLeast } from '../roles.js'
import { isUnreachable } from '../store/open.js'
import type { Log } from '../team.js'
import { ACTOR, type Actor, type Caller, nameOf } from './actor.js'
import { ADDRESS } from './address.js'
import { openConcurrencyLimit } from './concurrency-limit.js'
import { METHODS } from './methods.js'
import { isSameOrigin } from './origin.js'
import type { RateLimit } from './rate-limit.js'

const CODES: Readonly<Record<RequestErrorCode, Code>> = {
  invalid: Code.InvalidArgument,
  missing: Code.NotFound,
  exists: Code.AlreadyExists,
  stale: Code.Aborted,
  'not-now': Code.FailedPrecondition,
  forbidden: Code.PermissionDenied,
  'unknown-caller': Code.Unauthenticated,
  'too-much': Code.ResourceExhausted,
}

/** The error code of PostgreSQL for a NUL in a text. */
const NOT_STORABLE = '22021'

/** A session may expire without a notification. */
const RECHECK_MS = 10_000

/** Rejections that administrators see. */
const NOTABLE: ReadonlySet<RequestErrorCode> = new Set(['forbidden', 'unknown-caller', 'too-much'])

export interface Authenticator {
  /** Does not throw for an unknown caller. */
  identify(headers: Headers, address: string): Promise<Caller>
  refused(what: string, who: string, detail: string): void
  /** Changes whenever permissions may have been revoked. */
  changes(): number
  /** Of the server: a session cookie counts only for its own pages. */
  readonly url: string
}

export function mayCall(method: string, actor: Actor): RequestError | null {
  const allowed = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined
  if (allowed === undefined) return new RequestError('forbidden', `Nobody may call ${method}.`)
  if (allowed === 'anybody') return null
  if (actor.kind === 'nobody') return new RequestError('unknown-caller', actor.because ?? 'Sign in first.')
  if (allowed === 'device') {
    return actor.kind === 'device' ? null : new RequestError('forbidden', 'Only devices can call this.')
  }
  if (actor.kind !== 'person')
    return new RequestError('forbidden', 'A device cannot do this. Sign in as a user.')
  return isAtLeast(actor.role, allowed)
    ? null
    : new RequestError('forbidden', `This needs the role ${allowed}; yours is ${actor.role}.`)
}

/** The caller, or the reason why the call is rejected. */
export interface Authentication {
  readonly caller: Caller
  readonly refusal: RequestError | null
}

/** Runs before anything of the body is read (http/calls.ts). */
export async function authenticate(
  authenticator: Authenticator,
  rateLimit: RateLimit,
  method: string,
  asked: { readonly method: string; readonly header: Headers },
  address: string,
): Promise<Authentication> {
  const caller = await authenticator.identify(asked.header, address)
  const { actor } = caller
  const refusal = mayCall(method, actor) ?? crossSite(actor, asked, authenticator.url)
  if (refusal || actor.kind !== 'device') return { caller, refusal }
  return { caller, refusal: await rateLimit.take(method, actor.deviceId) }
}

export const AUTHENTICATION = createContextKey<Promise<Authentication>>(
  Promise.resolve({
    caller: { actor: { kind: 'nobody', address: '' }, cookies: [] },
    refusal: new RequestError('unknown-caller', 'The call was not authenticated.'),
  }),
)

export function guardCalls(authenticator: Authenticator, log: Log): Interceptor {
  const concurrency = openConcurrencyLimit()
  return next => async request => {
    const method = `${request.service.typeName.split('.').at(-1)}/${request.method.name}`
    const address = request.contextValues.get(ADDRESS)
    let who = address
    const translate = (error: unknown): ConnectError => {
      if (error instanceof RequestError) {
        const { waitSeconds, isKnown } = error.facts
        if (NOTABLE.has(error.code) && !isKnown) authenticator.refused(method, who, error.message)
        const more = waitSeconds === undefined ? undefined : { 'retry-after': String(waitSeconds) }
        return new ConnectError(error.message, CODES[error.code], more)
      }
      if (error instanceof ConnectError) return error
      if ((error as { code?: unknown }).code === NOT_STORABLE) {
        return new ConnectError(
          'A text contains a NUL character, which cannot be stored.',
          Code.InvalidArgument,
        )
      }
      if (isUnreachable(error)) {
        log.error('the database is not reachable', { method, error: (error as Error).message })
        return new ConnectError('The database is not reachable. Try again in a moment.', Code.Unavailable)
      }
      const id = crypto.randomUUID()
      log.error('a call failed', { method, id, error: (error as Error).stack })
      return new ConnectError(`The server failed. Its log has the details under ${id}.`, Code.Internal)
    }
    try {
      const { caller, refusal } = await request.contextValues.get(AUTHENTICATION)
      const { actor, cookies } = caller
      if (actor.kind !== 'nobody') who = `${nameOf(actor)} ${address}`
      if (refusal) throw refusal
      concurrency.enter(method, actor, request.signal)
      request.contextValues.set(ACTOR, actor)
      const response = await next(request)
      for (const cookie of cookies) response.header.append('set-cookie', cookie)
      if (!response.stream) return response
      const messages = response.message as AsyncIterable<never>
      const stillMay = async () => {
        const { actor: now } = await authenticator.identify(request.header, address)
        const refusal = mayCall(method, now)
        if (refusal) throw refusal
      }
      const guarded = watched(messages, authenticator, stillMay)
      return { ...response, message: translated(guarded, translate) }
    } catch (error) {
      throw translate(error)
    }
  }
}

function crossSite(
  actor: Actor,
  { method, header }: { readonly method: string; readonly header: Headers },
  url: string,
): RequestError | null {
  const byCookie = actor.kind === 'person' && actor.via === 'session'
  // GET is allowed for methods without side effects only.
  if (!byCookie || method === 'GET' || isSameOrigin(header, url)) return null
  return new RequestError(
    'forbidden',
    `This call does not come from a page of ${url}, so its cookie is ignored. Scripts use a token.`,
  )
}

/** A stream may last for hours: its caller is authenticated once more before the next message. */
async function* watched<T>(
  messages: AsyncIterable<T>,
  { changes }: Pick<Authenticator, 'changes'>,
  stillMay: () => Promise<void>,
): AsyncGenerator<T> {
  let [seen, at] = [changes(), Date.now()]
  for await (const message of messages) {
    if (changes() !== seen || Date.now() - at > RECHECK_MS) {
      ;[seen, at] = [changes(), Date.now()]
      await stillMay()
    }
    yield message
  }
}

/** A stream may fail after its first message. */
async function* translated<T>(
  messages: AsyncIterable<T>,
  translate: (error: unknown) => ConnectError,
): AsyncGenerator<T> {
  try {
    yield* messages
  } catch (error) {
    throw translate(error)
  }
}
