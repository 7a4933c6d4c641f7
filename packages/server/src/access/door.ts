// The door of every call: who is it, and may they. What is refused here is counted, and never reaches the inside.

import { Code, ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect'
import { nameOf } from '../audit/chain.js'
import { Refusal, type RefusalCode } from '../refusal.js'
import { isUnreachable } from '../store/open.js'
import type { Log } from '../team.js'
import { ACTOR, type Actor, type Caller } from './actor.js'
import { ADDRESS } from './address.js'
import { openCrowd } from './crowd.js'
import { isAtLeast, METHODS } from './methods.js'
import { isSameOrigin } from './origin.js'
import type { Turns } from './turns.js'

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

/** PostgreSQL's word for a NUL in a text. */
const NOT_STORABLE = '22021'

/** A session may end without a word. */
const ASKED_AGAIN_MS = 10_000

/** What somebody else should hear of; the rest is everyday. */
const NOTABLE: ReadonlySet<RefusalCode> = new Set(['forbidden', 'unknown-caller', 'too-much'])

export interface Doorman {
  /** Never throws for a caller whom nobody knows. */
  identify(headers: Headers, address: string): Promise<Caller>
  refused(what: string, who: string, detail: string): void
  /** Another number whenever somebody may have less than before. */
  changes(): number
  /** Of the server, for whose pages a cookie counts. */
  readonly url: string
}

export function mayCall(method: string, actor: Actor): Refusal | null {
  const allowed = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined
  if (allowed === undefined) return new Refusal('forbidden', `Nobody may call ${method}.`)
  if (allowed === 'anybody') return null
  if (actor.kind === 'nobody') return new Refusal('unknown-caller', actor.because ?? 'Sign in first.')
  if (allowed === 'device') {
    return actor.kind === 'device' ? null : new Refusal('forbidden', 'Only devices call this.')
  }
  if (actor.kind !== 'person')
    return new Refusal('forbidden', 'A device cannot do this. Sign in as a person.')
  return isAtLeast(actor.role, allowed)
    ? null
    : new Refusal('forbidden', `This needs the role ${allowed}; yours is ${actor.role}.`)
}

/** Who stands at the door, and why they may not come in. */
export interface Knock {
  readonly caller: Caller
  readonly refusal: Refusal | null
}

/** Before anything that the caller brings along is read (http/calls.ts). */
export async function knockAt(
  doorman: Doorman,
  turns: Turns,
  method: string,
  asked: { readonly method: string; readonly header: Headers },
  address: string,
): Promise<Knock> {
  const caller = await doorman.identify(asked.header, address)
  const { actor } = caller
  const refusal = mayCall(method, actor) ?? crossSite(actor, asked, doorman.url)
  if (refusal || actor.kind !== 'device') return { caller, refusal }
  return { caller, refusal: await turns.take(method, actor.deviceId) }
}

export const KNOCK = createContextKey<Promise<Knock>>(
  Promise.resolve({
    caller: { actor: { kind: 'nobody', address: '' }, cookies: [] },
    refusal: new Refusal('unknown-caller', 'Nobody asked who this is.'),
  }),
)

export function door(doorman: Doorman, log: Log): Interceptor {
  const crowd = openCrowd()
  return next => async request => {
    const method = `${request.service.typeName.split('.').at(-1)}/${request.method.name}`
    const address = request.contextValues.get(ADDRESS)
    let who = address
    const translate = (error: unknown): ConnectError => {
      if (error instanceof Refusal) {
        const { waitSeconds, isKnown } = error.facts
        if (NOTABLE.has(error.code) && !isKnown) doorman.refused(method, who, error.message)
        const more = waitSeconds === undefined ? undefined : { 'retry-after': String(waitSeconds) }
        return new ConnectError(error.message, CODES[error.code], more)
      }
      if (error instanceof ConnectError) return error
      if ((error as { code?: unknown }).code === NOT_STORABLE) {
        return new ConnectError('A text holds a NUL character, which cannot be stored.', Code.InvalidArgument)
      }
      if (isUnreachable(error)) {
        log.error('the database is not reachable', { method, error: (error as Error).message })
        return new ConnectError('The database is not reachable. Try again in a moment.', Code.Unavailable)
      }
      const id = crypto.randomUUID()
      log.error('a call failed', { method, id, error: (error as Error).stack })
      return new ConnectError(`The server failed. Its log tells more under ${id}.`, Code.Internal)
    }
    try {
      const { caller, refusal } = await request.contextValues.get(KNOCK)
      const { actor, cookies } = caller
      if (actor.kind !== 'nobody') who = `${nameOf(actor)} ${address}`
      if (refusal) throw refusal
      crowd.enter(method, actor, request.signal)
      request.contextValues.set(ACTOR, actor)
      const response = await next(request)
      for (const cookie of cookies) response.header.append('set-cookie', cookie)
      if (!response.stream) return response
      const messages = response.message as AsyncIterable<never>
      // A device hears only that there is something to ask for, and is asked who it is when it does.
      const isPerson = actor.kind === 'person'
      const stillMay = async () => {
        const { actor: now } = await doorman.identify(request.header, address)
        const refusal = mayCall(method, now)
        if (refusal) throw refusal
      }
      const guarded = isPerson ? watched(messages, doorman, stillMay) : messages
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
): Refusal | null {
  const byCookie = actor.kind === 'person' && actor.via === 'session'
  // What can be asked by GET changes nothing.
  if (!byCookie || method === 'GET' || isSameOrigin(header, url)) return null
  return new Refusal(
    'forbidden',
    `This call does not come from a page of ${url}, so its cookie does not count. Scripts use a token.`,
  )
}

/** A stream may go on for hours; whoever may no longer listen is asked to leave before the next word. */
async function* watched<T>(
  messages: AsyncIterable<T>,
  { changes }: Pick<Doorman, 'changes'>,
  stillMay: () => Promise<void>,
): AsyncGenerator<T> {
  let [seen, at] = [changes(), Date.now()]
  for await (const message of messages) {
    if (changes() !== seen || Date.now() - at > ASKED_AGAIN_MS) {
      ;[seen, at] = [changes(), Date.now()]
      await stillMay()
    }
    yield message
  }
}

/** A stream may fail after it began. */
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
