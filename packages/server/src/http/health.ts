// Liveness, readiness and metrics.

import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { DAY_MS } from '../durations.js'
import { newestRelease } from '../rollout/expiry.js'
import { listDuties } from '../store/duties.js'
import { ping } from '../store/open.js'
import { newestOut } from '../store/releases.js'
import type { Team } from '../team.js'

export interface Health {
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Counts every call. */
  readonly counting: Interceptor
  readonly registry: Registry
  /** Ends the streams when the server stops. */
  readonly stopping: AbortSignal
  stop(): void
}

export interface HealthOptions {
  /** The number of waiting polls of devices. */
  readonly waiting: () => number
  readonly isPushDegraded: () => boolean
}

const WARN_MS = 7 * DAY_MS

export function openHealth(team: Team, { waiting, isPushDegraded }: HealthOptions): Health {
  const registry = new Registry()
  const registers = [registry]
  const stopping = new AbortController()
  // Every running call listens to it.
  setMaxListeners(0, stopping.signal)
  const calls = new Counter({
    name: 'holdfast_calls_total',
    help: 'Calls by method and how they ended.',
    labelNames: ['method', 'code'],
    registers,
  })
  const seconds = new Histogram({
    name: 'holdfast_call_seconds',
    help: 'How long calls took; streams are not timed.',
    labelNames: ['method'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
    registers,
  })
  const gauge = (name: string, help: string, read: () => number | Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read()
        if (value !== undefined) this.set(value)
      },
    })
  gauge('holdfast_waiting_polls', 'Polls of devices that wait for a change.', waiting)
  gauge('holdfast_push_degraded', '1 while changes of other processes are seen only by looking.', () =>
    Number(isPushDegraded()),
  )
  gauge('holdfast_disk_full', '1 while no records are accepted because the disk is nearly full.', () =>
    Number(team.records.isDiskFull()),
  )
  gauge(
    'holdfast_release_expires_seconds',
    'Until the newest release can no longer be taken by a device.',
    async () => {
      const newest = await newestOut(team.store.db)
      return newest && Math.round((newest.expires_at - team.now()) / 1000)
    },
  )
  new Gauge({
    name: 'holdfast_duty_seconds',
    help: 'Since a server last did this duty of the team.',
    labelNames: ['duty'],
    registers,
    async collect() {
      for (const { name, agoMs } of await listDuties(team.store))
        this.set({ duty: name }, Math.round(agoMs / 1000))
    },
  })
  gauge('process_resident_memory_bytes', 'Memory of this process.', () => process.memoryUsage.rss())

  const counting: Interceptor = next => async request => {
    const method = `${request.service.typeName.split('.').at(-1)}/${request.method.name}`
    const began = performance.now()
    try {
      const answer = await next(request)
      calls.inc({ method, code: 'ok' })
      return answer
    } catch (error) {
      calls.inc({ method, code: Code[ConnectError.from(error).code] ?? 'unknown' })
      throw error
    } finally {
      if (!request.stream) seconds.observe({ method }, (performance.now() - began) / 1000)
    }
  }

  async function ready(response: ServerResponse): Promise<void> {
    try {
      stopping.signal.throwIfAborted()
      await ping(team.store.db)
      const [release] = await newestRelease(team, WARN_MS)
      const said = [
        ...(isPushDegraded() ? ['push is degraded'] : []),
        ...(team.records.isDiskFull() ? ['no records are accepted because the disk is nearly full'] : []),
        ...(release ? [`the newest release expires (${release.daysLeft} days left)`] : []),
      ]
      response.end(said.length > 0 ? `degraded: ${said.join('; ')}\n` : 'ready\n')
    } catch (error) {
      // This endpoint is public; the address of the database is for the log.
      if (!stopping.signal.aborted) team.log.warn('not ready', { error: (error as Error).message })
      response.writeHead(503)
      response.end(
        `not ready: ${stopping.signal.aborted ? 'the server is stopping' : 'the database does not answer'}\n`,
      )
    }
  }
  async function metrics(response: ServerResponse): Promise<void> {
    try {
      const text = await registry.metrics()
      response.setHeader('content-type', registry.contentType)
      response.end(text)
    } catch (error) {
      team.log.warn('the figures could not be read', { error: (error as Error).message })
      response.writeHead(500)
      response.end('the database does not answer\n')
    }
  }

  return {
    counting,
    registry,
    stopping: stopping.signal,
    stop: () => stopping.abort(new ConnectError('The server is stopping.', Code.Unavailable)),
    handle({ url }, response) {
      if (url === '/healthz') response.end('ok\n')
      else if (url === '/readyz') void ready(response)
      else if (url === '/metrics') void metrics(response)
      else return false
      return true
    },
  }
}
