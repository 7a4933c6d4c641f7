// The streams of devices, as each kind of client asks for them.

import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node'
import { DeviceService, DevicesService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POSTGRES, type TestDatabase } from './databases.js'
import { callerOf, seatMember, startTestServer, type TestServer } from './server.js'

let database: TestDatabase
let server: TestServer
let bearer = ''
beforeAll(async () => {
  database = await POSTGRES.create()
  server = await startTestServer(database.url)
  const admin = callerOf(server.url, await seatMember(server, 'admin'))
  const { secret } = await admin(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
  const facts = { name: 'laptop', operatingSystem: 'Linux' }
  const proof = { case: 'enrolmentKey', value: secret } as const
  const enrolled = callerOf(server.url, null)(DeviceService).enrol({ proof, deviceId: '0'.repeat(32), facts })
  bearer = (await enrolled).token
})
afterAll(async () => {
  await server.close()
  await database.drop()
})

const connected = async () => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^holdfast_streams (\d+)/m.exec(text)![1])
}

const WAYS: Record<string, (baseUrl: string) => Transport> = {
  'Connect, JSON': baseUrl => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
  'Connect, binary': baseUrl => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect, HTTP/2': baseUrl => createConnectTransport({ baseUrl, httpVersion: '2' }),
  gRPC: baseUrl => createGrpcTransport({ baseUrl }),
  'gRPC, JSON': baseUrl => createGrpcTransport({ baseUrl, useBinaryFormat: false }),
  'gRPC-Web': baseUrl => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'gRPC-Web, JSON': baseUrl =>
    createGrpcWebTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
  'gRPC, compressed': baseUrl =>
    createGrpcTransport({ baseUrl, sendCompression: compressionGzip, compressMinBytes: 0 }),
  'Connect, compressed': baseUrl =>
    createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      sendCompression: compressionGzip,
      compressMinBytes: 0,
    }),
}

describe.each(Object.keys(WAYS))('%s', name => {
  const client = () => createClient(DeviceService, WAYS[name]!(server.url))
  const headers = () => ({ authorization: `Bearer ${bearer}` })

  it('hears every change, and is forgotten when it leaves', async () => {
    const leaving = new AbortController()
    const options = { headers: headers(), signal: leaving.signal }
    const stream = client().watch({ etag: 'x' }, options)[Symbol.asyncIterator]()
    const { value: first } = await stream.next()
    expect(await connected()).toBe(1)
    for (const step of [1, 2]) {
      server.team.hub.changed('releases')
      expect((await stream.next()).value.epoch).toBe(first.epoch + step)
    }
    leaving.abort()
    await stream.next().catch(() => {})
    await expect.poll(connected, { timeout: 30_000 }).toBe(0)
  })

  it('is refused without a token, and told why', async () => {
    const stream = client().watch({}, { headers: { authorization: 'Bearer nonsense' } })
    const refusal = await stream[Symbol.asyncIterator]().next().catch(ConnectError.from)
    expect(refusal).toMatchObject({ code: Code.Unauthenticated })
    expect((refusal as ConnectError).rawMessage).toContain('holds no token of this server')
  })

  it('ends at its own deadline', async () => {
    const stream = client().watch({}, { headers: headers(), timeoutMs: 300 })
    const end = (async () => {
      for await (const _ of stream);
    })()
    expect(await end.catch(error => ConnectError.from(error).code)).toBe(Code.DeadlineExceeded)
    await expect.poll(connected, { timeout: 30_000 }).toBe(0)
  })
})

it('all streams end cleanly when the server stops', async () => {
  const other = await startTestServer(database.url)
  const ends: Record<string, Promise<boolean | undefined>> = {}
  for (const [name, transport] of Object.entries(WAYS)) {
    const stream = createClient(DeviceService, transport(other.url)).watch(
      {},
      { headers: { authorization: `Bearer ${bearer}` } },
    )
    const messages = stream[Symbol.asyncIterator]()
    await messages.next()
    ends[name] = messages.next().then(
      ({ done }) => done,
      error => ConnectError.from(error).code === Code.Unavailable,
    )
  }
  await other.close()
  for (const [name, end] of Object.entries(ends)) expect(await end, name).toBe(true)
})

const BODIES: Record<string, Uint8Array> = {
  nothing: Buffer.alloc(0),
  'no frame': Buffer.from('{}'),
  'half a frame': Buffer.from([0, 0, 0, 0, 9, 0x7b]),
  'two frames': Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  'a frame of another kind': Buffer.from([1, 0, 0, 0, 0]),
  'not the message': Buffer.from([0, 0, 0, 0, 2, 0xff, 0xff]),
  'far too much': Buffer.concat([Buffer.from([0, 0, 2, 0, 0]), Buffer.alloc(131_072, 10)]),
}

describe.each(Object.keys(BODIES))('a call that holds %s is refused with a sentence', name => {
  it.each(['application/connect+json', 'application/connect+proto', 'application/grpc-web+proto'])(
    '%s',
    async type => {
      const answer = await fetch(`${server.url}/holdfast.team.v1.DeviceService/Watch`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: `Bearer ${bearer}` },
        body: BODIES[name]!,
      })
      expect(answer.status).toBe(200)
      const text = decodeURIComponent(await answer.text())
      expect(text).toContain('This is no single WatchRequest')
      expect(text).toContain(type.includes('connect') ? '"code":"invalid_argument"' : 'grpc-status: 3')
      expect(await connected()).toBe(0)
    },
  )

  it('application/grpc', async () => {
    const session = connectHttp2(server.url)
    const call = session.request({
      ':method': 'POST',
      ':path': '/holdfast.team.v1.DeviceService/Watch',
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${bearer}`,
    })
    call.end(BODIES[name])
    call.resume()
    const trailers = await new Promise<Record<string, unknown>>(resolve => call.once('trailers', resolve))
    expect(trailers['grpc-status']).toBe('3')
    expect(decodeURIComponent(String(trailers['grpc-message']))).toContain('This is no single WatchRequest')
    session.close()
    expect(await connected()).toBe(0)
  })
})

it('who leaves in the middle of asking is no failure of the server', async () => {
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `POST /holdfast.team.v1.DeviceService/Watch HTTP/1.1\r\nhost: x\r\ncontent-type: application/connect+json\r\nauthorization: Bearer ${bearer}\r\ncontent-length: 7\r\n\r\nabc`,
  )
  await new Promise(resolve => setTimeout(resolve, 100))
  socket.resetAndDestroy()
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(server.logged.filter(line => line.includes('a request failed'))).toEqual([])
  expect(await connected()).toBe(0)
})
