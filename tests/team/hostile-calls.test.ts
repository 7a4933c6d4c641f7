// Messages of a million empty elements, compressed and slow calls: the server rejects them without reading them, and
// no caller delays the others.

import { once } from 'node:events'
import { Agent, request as ask, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { DevicesService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPort } from '../../packages/server/src/http/port.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { newDeviceId } from './people.js'
import { callerOf, seatMember, startTestServer, type TestServer } from './server.js'

let database: TestDatabase
let server: TestServer
let device = ''
let auditor = ''
let key = ''
let admin = ''
beforeAll(async () => {
  database = await SQLITE.create()
  server = await startTestServer(database.url)
  admin = await seatMember(server, 'admin')
  auditor = await seatMember(server, 'auditor')
  key = (await callerOf(server.url, admin)(DevicesService).createEnrolmentKey({ maxUses: 9, hours: 1 }))
    .secret
  const enrolled = await call('DeviceService/Enrol', enrolment())
  device = enrolled.token
})
afterAll(async () => {
  await server.close()
  await database.drop()
})

const enrolment = (more = '') =>
  Buffer.from(
    JSON.stringify({
      enrolmentKey: key,
      deviceId: newDeviceId(),
      facts: { name: 'laptop', operatingSystem: 'Linux', osVersion: more },
    }),
  )

const JSON_TYPE = 'application/json'
const BINARY_TYPE = 'application/proto'

async function call(
  method: string,
  body: Uint8Array,
  { token = '', type = JSON_TYPE, ...headers }: Record<string, string> = {},
) {
  const response = await fetch(`${server.url}/holdfast.team.v1.${method}`, {
    method: 'POST',
    headers: { 'content-type': type, ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  })
  return JSON.parse((await response.text()).replace(/^[\0-\x1f]*[^{]*/, '') || '{}')
}

const SIZE = 4 * 1024 * 1024 - 1000
const times = (text: string, around: readonly [string, string] = ['', '']) => {
  const [before, after] = around
  return Buffer.from(`${before}${text.repeat(Math.floor(SIZE / text.length))}${after}`)
}
const twice = (one: number, two: number) => {
  const bytes = Buffer.alloc(SIZE)
  for (let at = 0; at < SIZE; at += 2) bytes.set([one, two], at)
  return bytes
}
const half = Math.floor(SIZE / 2)
const JSONS: Record<string, Buffer> = {
  'lists in lists': Buffer.from(`{"x":${'['.repeat(half)}${']'.repeat(half)}}`),
  'objects in objects': Buffer.from(`{"x":${'{"":'.repeat(SIZE / 5)}1${'}'.repeat(SIZE / 5)}}`),
  'a million lists': times('[],', ['{"x":[', '0]}']),
  'a million gaps': times('{},', ['{"gaps":[', '{}]}']),
  'a million records': times('"",', ['{"records":[', '""]}']),
  'a million keys': Buffer.from(
    `{${Array.from({ length: SIZE / 10 }, (_, index) => `"${index.toString(36)}":0`).join(',')}}`,
  ),
}
const BINARIES: Record<string, Buffer> = {
  'a million gaps': twice(0x2a, 0),
  'a million records': twice(0x22, 0),
  'a million fields that nobody knows': twice(0x78, 1),
  // One gap, and all of it inside.
  'a gap of a million fields': Buffer.concat([
    Buffer.from([0x2a, 0x80, 0x80, 0x80, 1]),
    twice(0x78, 1),
  ]).subarray(0, 2 * 1024 * 1024 + 5),
}

const ELEMENTS = { code: 'resource_exhausted', message: expect.stringContaining('more than 10000 elements') }
const COMPRESSED = { code: 'resource_exhausted', message: expect.stringContaining('must not be compressed') }

/** Seconds of CPU time, because other tests keep the machine busy. */
const MOST_WORK_MS = 700
async function hold<T>(work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const done = await work()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(MOST_WORK_MS)
  return done
}

describe.each(Object.keys(JSONS))('JSON, %s', name => {
  it('from a device is too much', async () => {
    const answer = await hold(() => call('DeviceService/SendRecords', JSONS[name]!, { token: device }))
    expect(answer).toMatchObject(ELEMENTS)
  })
  it('compressed is refused without being expanded', async () => {
    const packed = gzipSync(JSONS[name]!)
    const headers = { token: device, 'content-encoding': 'gzip' }
    expect(await hold(() => call('DeviceService/SendRecords', packed, headers))).toMatchObject(COMPRESSED)
  })
  it('from an auditor, too', async () => {
    const answer = await hold(() => call('AuditService/SearchRecords', JSONS[name]!, { token: auditor }))
    expect(answer).toMatchObject(ELEMENTS)
  })
  it('without authentication is not even read', async () => {
    const answer = await hold(() => call('DeviceService/SendRecords', JSONS[name]!))
    expect(answer).toMatchObject({ code: 'unauthenticated' })
    expect(await hold(() => call('DeviceService/Enrol', JSONS[name]!))).toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringContaining('larger than 65536 bytes'),
    })
  })
})

describe.each(Object.keys(BINARIES))('binary, %s', name => {
  it.each(['', 'gzip'])('from a device is too much %s', async encoding => {
    const body = encoding ? gzipSync(BINARIES[name]!) : BINARIES[name]!
    const headers = {
      token: device,
      type: BINARY_TYPE,
      ...(encoding ? { 'content-encoding': encoding } : {}),
    }
    expect(await hold(() => call('DeviceService/SendRecords', body, headers))).toMatchObject(
      encoding ? COMPRESSED : ELEMENTS,
    )
  })
})

it('refuses a batch of 10 MiB from a device, and answers the next call on the same connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (body: Buffer) =>
    new Promise<{ status: number | undefined; port: number | undefined }>((resolve, reject) => {
      const headers = { 'content-type': BINARY_TYPE, authorization: `Bearer ${device}` }
      const url = `${server.url}/holdfast.team.v1.DeviceService/SendRecords`
      const call = ask(url, { method: 'POST', agent, headers }, response => {
        const port = call.socket?.localPort
        response.resume().on('end', () => resolve({ status: response.statusCode, port }))
      })
      call.on('error', reject).end(body)
    })
  try {
    const refused = await send(Buffer.alloc(10 * 1024 * 1024, 0x61))
    expect(refused.status).toBe(429)
    // A batch without a segment.
    expect(await send(Buffer.alloc(0))).toEqual({ status: 400, port: refused.port })
  } finally {
    agent.destroy()
  }
})

it('rejects a body without a length once it is too large, although another call follows', async () => {
  const part = Buffer.alloc(65_536, ' ')
  const request = (agent: Agent) =>
    new Promise<string>((resolve, reject) => {
      const call = ask(`${server.url}/holdfast.team.v1.DeviceService/Enrol`, {
        method: 'POST',
        agent,
        headers: { 'content-type': JSON_TYPE },
      })
      call.on('error', reject)
      call.on('response', async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve(text)
      })
      for (let count = 0; count < 30; count++) call.write(part)
      call.end()
    })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let count = 0; count < 3; count++) expect(await request(agent)).toContain('larger than 65536 bytes')
  agent.destroy()
})

it('a frame that says it is packed, and is not, is looked at', async () => {
  const words = JSONS['a million lists']!
  const head = Buffer.alloc(5)
  head.writeUInt32BE(words.length, 1)
  const headers = {
    token: auditor,
    type: 'application/connect+json',
    'connect-content-encoding': 'gzip',
  }
  const answer = await hold(() => call('AuditService/ExportRecords', Buffer.concat([head, words]), headers))
  expect(answer.error).toMatchObject(ELEMENTS)
  head[0] = 1
  const marked = await hold(() =>
    call('AuditService/ExportRecords', Buffer.concat([head, gzipSync(words)]), headers),
  )
  expect(marked.error).toMatchObject({
    code: expect.stringMatching(/^(resource_exhausted|invalid_argument)$/),
  })
})

it('nor does it pass when its type is written in other letters, as Connect does not mind', async () => {
  const words = JSONS['a million gaps']!
  const answer = await hold(() =>
    call('DeviceService/SendRecords', words, { token: device, type: 'Application/JSON' }),
  )
  expect(answer).toMatchObject(ELEMENTS)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(words.length, 1)
  const framed = { token: auditor, type: 'APPLICATION/Connect+JSON' }
  const streamed = await hold(() => call('AuditService/ExportRecords', Buffer.concat([head, words]), framed))
  expect(streamed.error).toMatchObject(ELEMENTS)
})

it.each(['application/grpc', 'application/grpc-web+proto', 'Application/GRPC-web+JSON'])(
  'only Connect is served: %s is an unsupported type, and not read',
  async type => {
    const response = await hold(() =>
      fetch(`${server.url}/holdfast.team.v1.DeviceService/SendRecords`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: `Bearer ${device}` },
        body: BINARIES['a million gaps']! as Uint8Array<ArrayBuffer>,
      }),
    )
    expect(response.status).toBe(415)
  },
)

it('a million numbers in a row are a million pieces, in JSON and in binary', async () => {
  const remove = Buffer.concat([Buffer.from([0x12, 0x80, 0x80, 0x80, 1]), Buffer.alloc(2 * 1024 * 1024, 1)])
  const json = Buffer.from(`{"remove":[${'1,'.repeat(1024 * 1024)}1]}`)
  for (const [type, body] of [
    [BINARY_TYPE, remove],
    [JSON_TYPE, json],
  ] as const) {
    const answer = await hold(() => call('RolloutService/Publish', body, { token: admin, type }))
    expect(answer, type).toMatchObject(ELEMENTS)
  }
})

it('who calls for no host is answered, and not written down as a failure of the server', async () => {
  for (const host of ['[', 'a b', 'x:99999', '::::', '']) {
    const socket = connect(server.port, '127.0.0.1')
    const body = '{}'
    socket.write(
      `POST /holdfast.team.v1.PeopleService/WhoAmI HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    let said = ''
    for await (const part of socket) said += part
    expect(said, host).toMatch(/^HTTP\/1\.1 400 /)
  }
  expect(server.logged.filter(line => line.includes('a request failed'))).toEqual([])
})

describe('a port', () => {
  const echo: RequestListener = async (request, response) => {
    try {
      for await (const _ of request);
      response.end('received')
    } catch {}
  }
  const TIMES = { headersMs: 300, callMs: 600, checkMs: 50 }
  const closed = async (port: number, first: string, next = '') => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    if (first) socket.write(first)
    const drip = setInterval(() => next && socket.writable && socket.write(next), 50)
    await once(socket, 'close')
    clearInterval(drip)
  }

  it.each([
    ['says nothing', '', ''],
    ['never ends its headers', 'POST / HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n'],
    ['never ends its body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99999\r\n\r\n', 'x'],
    ['speaks HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ''],
  ])('does not wait for a caller that %s', async (_, first, next) => {
    const port = await openPort({ host: '127.0.0.1', port: 0 }, echo, TIMES)
    await closed(port.port, first, next)
    await port.close(0)
  })

  it('waits for a response as long as it takes', async () => {
    const slow: RequestListener = (_, response) => void setTimeout(() => response.end('at last'), 1200)
    const port = await openPort({ host: '127.0.0.1', port: 0 }, slow, TIMES)
    expect(await (await fetch(`http://127.0.0.1:${port.port}/`)).text()).toBe('at last')
    await port.close(0)
  })
})

it('a compressed message in the address is refused without being expanded', async () => {
  const packed = gzipSync(JSONS['a million lists']!).toString('base64url')
  const ask = async (token: string) => {
    const url = `${server.url}/holdfast.team.v1.AuditService/GetRetention?connect=v1&encoding=json&base64=1&%63ompression=gzip&message=${packed}`
    const response = await fetch(url, token ? { headers: { authorization: `Bearer ${token}` } } : {})
    return response.json()
  }
  expect(await hold(() => ask(auditor))).toMatchObject(COMPRESSED)
  expect(await hold(() => ask(''))).toMatchObject({ code: 'unauthenticated' })
})

it('a refused caller receives the reason, whatever was sent and in whichever format', async () => {
  for (const type of [JSON_TYPE, BINARY_TYPE]) {
    const response = await fetch(`${server.url}/holdfast.team.v1.HooksService/ListHooks`, {
      method: 'POST',
      headers: { 'content-type': type, 'content-encoding': 'gzip' },
      body: 'no message at all',
    })
    expect(await response.text()).toContain('Sign in first.')
  }
  for (const type of ['application/connect+json', 'application/connect+proto']) {
    const response = await fetch(`${server.url}/holdfast.team.v1.AuditService/WatchTeam`, {
      method: 'POST',
      headers: { 'content-type': type, 'connect-content-encoding': 'gzip' },
      body: 'no message at all',
    })
    expect(await response.text()).toContain('Sign in first.')
  }
})

it('what is large for a reason still comes in: a full batch, and a long script', async () => {
  const records = Array.from({ length: 1000 }, () => Buffer.alloc(2500, 'x').toString('base64'))
  const batch = Buffer.from(JSON.stringify({ segment: 's', from: 0, to: 1, records }))
  expect(batch.length).toBeGreaterThan(3_000_000)
  const { rejected } = await call('DeviceService/SendRecords', batch, { token: device })
  expect(rejected).toHaveLength(1000)
  const author = await seatMember(server, 'author')
  const scriptContent = '#!/bin/sh\n"[{,:"\\\n'.repeat(50_000)
  const draft = { hookStep: 'beforeShellExecution', scriptName: 'a.sh', scriptContent, isActive: true }
  const saved = await call(
    'HooksService/SaveDraft',
    Buffer.from(JSON.stringify({ name: 'Long', baseVersion: 0, draft })),
    { token: author },
  )
  expect(saved.hook.draft.scriptContent).toBe(scriptContent)
})
