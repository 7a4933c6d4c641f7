// Polls of devices for their hooks. One without a change gets 304 from memory, or waits here until something changes
// for its device. Polls run outside of Connect, which needs forty kilobytes per call, unless the poll is rejected or in
// JSON.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { fromBinary, fromJsonString } from '@bufbuild/protobuf'
import { type GetTeamHooksRequest, GetTeamHooksRequestSchema } from '@holdfast/team'
import type { DeviceActor } from '../access/actor.js'
import { RequestError } from '../request-error.js'
import type { Deliver } from '../rollout/delivery.js'
import { etagFor, type Situation, type Situations } from '../rollout/situation.js'
import type { Team } from '../team.js'
import { writeDelivery } from './response.js'

const PATH = '/holdfast.team.v1.DeviceService/GetTeamHooks?'
/** Below the minute after which proxies cut off a call without a response. */
const MOST_WAIT_S = 55
const TICK_MS = 1000
/** A device waits once, and once more for each window in which its user has a session open. */
const MOST_OF_ONE = 16
/** How many waiting polls are served at once after a change: other calls must get their turn. */
const SERVED_AT_ONCE = 32
/** A device that does not read its response must not keep the others waiting. */
const SLOT_MS = 2000
/** How many waiting polls are compared before other work gets its turn. */
const COMPARED_AT_ONCE = 1000
/** How many devices may return in a second when this server stops. */
const RETURN_PER_SECOND = 500
const LONGEST_RETURN_S = 120

export interface Polls {
  /**
   * True when the poll was answered or waits. False for every other request, and for a poll that Connect answers; `serve`
   * then does for a poll that waited what the caller does for one that did not.
   */
  handle(request: IncomingMessage, response: ServerResponse, serve: () => Promise<void>): Promise<boolean>
  waiting(): number
  /** Answers every waiting device, each with its own time to return. */
  close(): void
}

export interface PollOptions {
  readonly situations: Situations
  readonly deliver: Deliver
  /** Counts a poll that delivers something. False: the device polled too often. */
  count(deviceId: string): Promise<boolean>
  /** Synchronous while the token is cached. */
  identify(request: IncomingMessage): DeviceActor | undefined | Promise<DeviceActor | undefined>
  /** Calls the listener when a token may have changed; '' stands for all devices. */
  onTokenChange(listener: (deviceId: string) => void): void
}

interface Poll {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly serve: () => Promise<void>
  readonly deviceId: string
  readonly until: number
}

export function openPolls({ hub, now, log }: Team, options: PollOptions): Polls {
  const { situations, identify, deliver, count } = options
  const polls = new Set<Poll>()
  const byDevice = new Map<string, Set<Poll>>()
  const ready = new Set<Poll>()
  const served = new Set<Poll>()
  let isClosed = false

  const isCurrent = async (request: IncomingMessage, actor: DeviceActor): Promise<string | undefined> => {
    const etag = etagFor(actor.enrolled!, await situations.current(), now())
    return isAmong(etag, request.headers['if-none-match']) ? etag : undefined
  }
  const answerUnchanged = (response: ServerResponse, etag: string) => {
    response.writeHead(304, { etag })
    response.end()
  }
  /** False if Connect answers: it writes rejections, and JSON. */
  const answerChanged = async (request: IncomingMessage, response: ServerResponse, actor: DeviceActor) => {
    const message = messageIn(request.url!, 'proto')
    if (!message || !(await count(actor.deviceId))) return false
    try {
      const delivery = await deliver(actor.enrolled!, await situations.current(), message)
      await writeDelivery(request, response, delivery)
      return true
    } catch (error) {
      if (error instanceof RequestError) return false
      throw error
    }
  }

  const add = (poll: Poll) => {
    const same = byDevice.get(poll.deviceId) ?? new Set()
    if (same.size >= MOST_OF_ONE) finish(same.values().next().value!)
    byDevice.set(poll.deviceId, same.add(poll))
    polls.add(poll)
    poll.response.once('close', () => remove(poll))
  }
  const remove = (poll: Poll): boolean => {
    const same = byDevice.get(poll.deviceId)
    if (same?.delete(poll) && same.size === 0) byDevice.delete(poll.deviceId)
    return polls.delete(poll)
  }
  const finish = (poll: Poll) => {
    if (!remove(poll)) return
    ready.add(poll)
    serveReady()
  }

  const serveReady = () => {
    while (served.size < SERVED_AT_ONCE) {
      const [poll] = ready
      if (!poll) return
      ready.delete(poll)
      if (poll.response.destroyed) continue
      const free = () => {
        clearTimeout(timer)
        if (!served.delete(poll)) return
        serveReady()
      }
      const timer = setTimeout(free, SLOT_MS)
      served.add(poll)
      // Connect's promise for a response never resolves.
      poll.response.once('finish', free).once('close', free)
      void respond(poll)
    }
  }
  /** The device is authenticated once more: its token may have ended while it waited. */
  const respond = async ({ request, response, serve }: Poll) => {
    try {
      const actor = await identify(request)
      const etag = actor && (await isCurrent(request, actor))
      if (etag) answerUnchanged(response, etag)
      else if (!actor || !(await answerChanged(request, response, actor))) await serve()
    } catch (error) {
      log.error('A poll failed', { error: (error as Error).message })
      response.destroy()
    }
  }

  const leaveTo = async (poll: Poll, situation: Situation) => {
    const found = identify(poll.request)
    const actor = found instanceof Promise ? await found : found
    if (!actor || !isAmong(etagFor(actor.enrolled!, situation, now()), poll.request.headers['if-none-match']))
      finish(poll)
  }
  let isDue = false
  let isComparing = false
  /** Finds the polls for which something changed. A change during the comparison starts it once more. */
  const compare = async () => {
    isDue = true
    if (isComparing) return
    isComparing = true
    try {
      while (isDue && !isClosed) {
        isDue = false
        const situation = await situations.current()
        let compared = 0
        for (const poll of [...polls]) {
          void leaveTo(poll, situation).catch(() => finish(poll))
          if (++compared % COMPARED_AT_ONCE === 0) await new Promise(resolve => setImmediate(resolve))
        }
      }
    } catch {
      // The database does not answer; the next tick tries again.
      isDue = true
    } finally {
      isComparing = false
    }
  }

  const unsubscribe = hub.subscribe(topic => {
    if (topic === 'releases') void compare()
  })
  options.onTokenChange(deviceId => {
    if (deviceId === '') void compare()
    else for (const poll of [...(byDevice.get(deviceId) ?? [])]) finish(poll)
  })
  const timer = setInterval(() => {
    const at = Date.now()
    for (const poll of polls) if (poll.until <= at) finish(poll)
    if (isDue) void compare()
  }, TICK_MS).unref()

  return {
    waiting: () => polls.size,
    async handle(request, response, serve) {
      if (request.method !== 'GET' || !request.url?.startsWith(PATH)) return false
      const epochs = () => hub.epoch('releases') + hub.epoch('tokens')
      const asOf = epochs()
      const found = identify(request)
      const actor = found instanceof Promise ? await found : found
      if (!actor) return false
      const etag = await isCurrent(request, actor)
      if (!etag) return answerChanged(request, response, actor)
      const seconds = Math.min(messageIn(request.url)?.waitSeconds ?? 0, MOST_WAIT_S)
      if (seconds <= 0 || isClosed) answerUnchanged(response, etag)
      else {
        // Spread, so that devices that came together do not return together.
        const until = Date.now() + seconds * 1000 * (0.8 + Math.random() * 0.2)
        const poll = { request, response, serve, deviceId: actor.deviceId, until }
        add(poll)
        if (asOf !== epochs()) finish(poll)
      }
      return true
    },
    close() {
      isClosed = true
      clearInterval(timer)
      unsubscribe()
      const seconds = Math.min(LONGEST_RETURN_S, Math.max(5, polls.size / RETURN_PER_SECOND))
      for (const { response } of [...polls]) {
        const wait = String(Math.ceil(Math.random() * seconds))
        response.writeHead(503, { 'retry-after': wait, connection: 'close' })
        response.end('stopping\n')
      }
    },
  }
}

/** Null for a message that cannot be parsed, which Connect rejects, and for another format than the declared one. */
function messageIn(url: string, format?: 'proto'): GetTeamHooksRequest | null {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const text = query.get('message') ?? ''
  if (query.has('compression') || (format && query.get('encoding') !== format)) return null
  try {
    return parse(text, query)
  } catch {
    return null
  }
}

function parse(text: string, query: URLSearchParams): GetTeamHooksRequest {
  const bytes = query.get('base64') === '1' ? Buffer.from(text, 'base64url') : Buffer.from(text)
  return query.get('encoding') === 'json'
    ? fromJsonString(GetTeamHooksRequestSchema, bytes.toString('utf8'), { ignoreUnknownFields: true })
    : fromBinary(GetTeamHooksRequestSchema, bytes, { readUnknownFields: false })
}

/** Weak comparison: a proxy that compresses turns a strong tag into a weak one. */
function isAmong(etag: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return false
  if (wanted === etag || wanted.trim() === '*') return true
  const next = /[\s,]*(?:W\/)?("[^"]*")\s*(?:,|$)/y
  for (let found = next.exec(wanted); found; found = next.exec(wanted)) if (found[1] === etag) return true
  return false
}
