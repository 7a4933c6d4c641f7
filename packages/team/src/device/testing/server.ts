// For tests: a server on this machine with the protocol of the team server, and with the faults that a test asks for.

import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fromBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import {
  DeviceService,
  type Envelope,
  GetTeamHooksRequestSchema,
  type LeasePayload,
  type ReportRequest,
  sha256,
} from '../../index.js'
import { at, DAY, NOW, type TestTeam, testTeam } from '../../signing/testing/team.js'

export interface Offered {
  release?: Envelope | undefined
  lease?: Partial<LeasePayload>
  /** A lease as it is, instead of one made for the device. */
  leaseEnvelope?: Envelope
  scripts?: readonly string[]
  trust?: readonly Envelope[]
}

export interface SentBatch {
  readonly segment: string
  readonly from: number
  readonly to: number
  readonly records: readonly string[]
  readonly gaps: readonly { readonly count: number; readonly reason: string }[]
}

export interface TestServer {
  readonly url: string
  readonly team: TestTeam
  readonly token: string
  readonly enrolmentKey: string
  /** What devices get. A new offer answers the polls that wait. */
  offer: Offered
  /** Raw answers: true when it was answered. */
  misbehave: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Given to who sends records. */
  receive: (batch: SentBatch) => {
    ackedTo?: number
    waitMs?: number
    rejected?: { index: number; code: string }[]
  }
  /** The name of each call, and its status. */
  readonly calls: string[]
  readonly reports: ReportRequest[]
  readonly batches: SentBatch[]
  /** What a database would hold: each id once. */
  readonly stored: Map<string, string>
  /** Polls that wait: answered with 304, or cut off. */
  readonly held: Set<{ unchanged(): void; cut(): void }>
  renewals: number
  left: number
  close(): Promise<void>
}

export async function testServer(team = testTeam()): Promise<TestServer> {
  const cursors = new Map<string, number>()
  const leases = new Map<string, Envelope>()
  const etagOf = () => {
    const { release, lease } = server.offer
    const parts = [release && sha256(release.payload), lease, team.chain.length]
    return `"${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}"`
  }
  const mustKnow = ({ requestHeader }: HandlerContext) => {
    const token = requestHeader.get('authorization')
    if (token !== `Bearer ${server.token}` && token !== `Bearer renewed-${server.renewals}`)
      throw new ConnectError('Who are you?', Code.Unauthenticated)
  }
  let deviceId = ''
  let offer: Offered = { lease: { order: 'hold' } }
  const offers = new EventEmitter().setMaxListeners(0)

  const routes = (router: ConnectRouter) =>
    router.service(DeviceService, {
      enrol(request) {
        const key = request.proof.case === 'enrolmentKey' ? request.proof.value : ''
        const isPerson = request.proof.case === 'accessToken' && request.proof.value === 'person'
        if (key !== server.enrolmentKey && !isPerson)
          throw new ConnectError('The enrolment key is not known.', Code.Unauthenticated)
        deviceId = request.deviceId
        return {
          teamId: team.first.team_id,
          teamName: 'Acme',
          token: server.token,
          tokenExpiresAt: at(NOW + 90 * DAY),
          trust: team.chain.map(toMessage),
          group: 'laptops',
        }
      },
      getTeamHooks(request, context) {
        mustKnow(context)
        const { release, lease, leaseEnvelope, scripts = [], trust } = server.offer
        const have = new Set(request.haveSha256)
        context.responseHeader.set('etag', etagOf())
        const envelope = leaseEnvelope ?? team.lease(release, { device_id: deviceId, ...lease })
        leases.set(deviceId, envelope)
        return {
          trust: (trust ?? team.chain.slice(request.trustVersion)).map(toMessage),
          ...(release && { release: toMessage(release) }),
          lease: toMessage(envelope),
          scripts: scripts
            .map(text => ({ sha256: sha256(Buffer.from(text)), content: new Uint8Array(Buffer.from(text)) }))
            .filter(script => !have.has(script.sha256)),
          etag: etagOf(),
        }
      },
      sendRecords(request, context) {
        mustKnow(context)
        const batch: SentBatch = {
          segment: request.segment,
          from: request.from,
          to: request.to,
          records: request.records.map(bytes => Buffer.from(bytes).toString()),
          gaps: request.gaps.map(({ count, reason }) => ({ count, reason })),
        }
        const answer = server.receive(batch)
        const ackedTo = answer.ackedTo ?? batch.to
        server.batches.push(batch)
        const known = cursors.get(batch.segment) ?? 0
        const unwanted = new Set(answer.rejected?.map(({ index }) => index))
        batch.records.forEach((record, index) => {
          if (!unwanted.has(index)) server.stored.set((JSON.parse(record) as { id: string }).id, record)
        })
        cursors.set(batch.segment, Math.max(known, ackedTo))
        return {
          ackedTo: Math.max(known, ackedTo),
          waitMs: answer.waitMs ?? 0,
          rejected: answer.rejected ?? [],
        }
      },
      report(request, context) {
        mustKnow(context)
        server.reports.push(request)
        return {}
      },
      renewToken(_, context) {
        mustKnow(context)
        server.renewals++
        return { token: `renewed-${server.renewals}`, tokenExpiresAt: at(NOW + 180 * DAY) }
      },
      leave(_, context) {
        mustKnow(context)
        server.left++
        return {}
      },
    })

  const adapter = connectNodeAdapter({ routes, readMaxBytes: 8 * 1024 * 1024 })
  const http = createServer((request, response) => {
    const name = request.url?.split('?')[0]?.split('/').pop() ?? ''
    response.on('finish', () => server.calls.push(`${name} ${response.statusCode}`))
    if (server.misbehave?.(request, response)) return
    const isKnown = request.headers.authorization?.startsWith('Bearer ')
    if (request.method !== 'GET' || !isKnown || request.headers['if-none-match'] !== etagOf())
      return adapter(request, response)
    const unchanged = () => response.writeHead(304, { etag: etagOf() }).end()
    const message = new URL(request.url ?? '', 'http://localhost').searchParams.get('message') ?? ''
    if (fromBinary(GetTeamHooksRequestSchema, Buffer.from(message, 'base64url')).waitSeconds === 0)
      return unchanged()
    const poll = {
      unchanged,
      cut: () => response.destroy(),
      changed: () => void (request.headers['if-none-match'] !== etagOf() && adapter(request, response)),
    }
    server.held.add(poll)
    offers.on('changed', poll.changed)
    response.on('close', () => {
      server.held.delete(poll)
      offers.off('changed', poll.changed)
    })
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  const server: TestServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    team,
    token: 'hfd_1_secret',
    enrolmentKey: `hfe_1_secret_${team.fingerprint}`,
    get offer() {
      return offer
    },
    set offer(next) {
      offer = next
      offers.emit('changed')
    },
    misbehave: undefined,
    receive: () => ({}),
    calls: [],
    reports: [],
    batches: [],
    stored: new Map(),
    held: new Set(),
    renewals: 0,
    left: 0,
    close: () =>
      new Promise(resolve => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  return server
}

const toMessage = ({ type, payload, signatures }: Envelope) => ({
  type,
  payload,
  signatures: signatures.map(one => ({ ...one })),
})
