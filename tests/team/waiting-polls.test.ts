// Polls that wait for a change, over HTTP: how they end, and limits on hostile ones.

import { setMaxListeners } from 'node:events'
import { connect } from 'node:net'
import { fromBinary, fromJsonString, toJsonString } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  DeviceService,
  DevicesService,
  type GetTeamHooksResponse,
  GetTeamHooksResponseSchema,
  readLease,
} from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MOST_CALLS } from '../../packages/server/src/access/rate-limit.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { newDeviceId } from './people.js'
import { FORMATS, poll, waitingPath, waitingPolls } from './polls.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const SCRIPT = `#!/bin/sh\ncat > /dev/null\necho '{}'\n`

let database: TestDatabase
let server: TestServer
let admin: ReturnType<typeof callerOf>
let bearer = ''
let hookId = 0
beforeAll(async () => {
  database = await SQLITE.create()
  server = await startTestServer(database.url)
  admin = callerOf(server.url, await seatMember(server, 'admin'))
  bearer = await enrol()
  hookId = (await publishHook(server, admin, SCRIPT)).hookId
})
afterAll(async () => {
  await server.close()
  await database.drop()
})

async function enrol(): Promise<string> {
  const { secret } = await admin(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
  const facts = { name: 'laptop', operatingSystem: 'Linux' }
  const proof = { case: 'enrolmentKey', value: secret } as const
  const enrolled = callerOf(server.url, null)(DeviceService).enrol({ proof, deviceId: newDeviceId(), facts })
  return (await enrolled).token
}
let changes = 0
const publish = () => publishHook(server, admin, `${SCRIPT}# ${++changes}\n`, { id: hookId })
const waits = (count: number) => expect.poll(() => waitingPolls(server.url), { timeout: 30_000 }).toBe(count)
const etagNow = async (token = bearer) => (await poll(server.url, token)).headers.get('etag')!
const ask = (path: string, headers: Record<string, string>, signal?: AbortSignal) =>
  fetch(server.url + path, { headers, ...(signal ? { signal } : {}) })

describe.each(Object.keys(FORMATS))('a poll in %s', name => {
  const path = FORMATS[name]!({ waitSeconds: 50 })
  const headers = async () => ({ authorization: `Bearer ${bearer}`, 'if-none-match': await etagNow() })

  it('is answered with each change, in full', async () => {
    for (const _ of [1, 2]) {
      const answer = ask(path, await headers())
      await waits(1)
      await publish()
      expect((await answer).status).toBe(200)
      expect((await answer).headers.get('etag')).toBe(await etagNow())
      expect((await (await answer).arrayBuffer()).byteLength).toBeGreaterThan(500)
      await waits(0)
    }
  })

  it('is removed when its caller leaves', async () => {
    const leaving = new AbortController()
    const answer = ask(path, await headers(), leaving.signal).catch(() => 'left')
    await waits(1)
    leaving.abort()
    expect(await answer).toBe('left')
    await waits(0)
  })

  it('is refused without a token, with the reason', async () => {
    const refused = await ask(path, { ...(await headers()), authorization: 'Bearer nonsense' })
    expect(refused.status).toBe(401)
    expect(await refused.text()).toContain('holds no token of this server')
  })

  it('ends after the time that it named', async () => {
    const answer = await ask(FORMATS[name]!({ waitSeconds: 1 }), await headers())
    expect(answer.status).toBe(304)
    await waits(0)
  })

  it('does not wait without a time, or when something is new', async () => {
    for (const waitSeconds of [0, -1, -(2 ** 31)])
      expect((await ask(FORMATS[name]!({ waitSeconds }), await headers())).status).toBe(304)
    const { authorization } = await headers()
    expect((await ask(path, { authorization, 'if-none-match': '"old"' })).status).toBe(200)
    expect((await ask(path, { authorization })).status).toBe(200)
  })
})

it.each([
  ['no message', ''],
  ['half a message', '&message=%7B%22wait'],
  ['a message that is no JSON', '&message=wait'],
  ['a field of another type', '&message=%7B%22waitSeconds%22%3A%22x%22%7D'],
  ['a million years', '&message=%7B%22waitSeconds%22%3A31557600000000%7D'],
  ['a deep message', `&message=${encodeURIComponent(`${'{"x":'.repeat(900)}1${'}'.repeat(900)}`)}`],
  ['bytes that are no message', '&encoding=proto&base64=1&message=_____w'],
  ['a compressed message', '&base64=1&compression=gzip&message=H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA'],
])('a poll with %s is answered at once', async (_, query) => {
  const encoding = query.includes('encoding=') ? '' : '&encoding=json'
  const path = `/holdfast.team.v1.DeviceService/GetTeamHooks?connect=v1${encoding}${query}`
  const answer = await ask(path, { authorization: `Bearer ${bearer}`, 'if-none-match': await etagNow() })
  expect(answer.status).toBe(304)
  expect(await waitingPolls(server.url)).toBe(0)
})

const withoutLease = ({ lease: _, ...response }: GetTeamHooksResponse) =>
  toJsonString(GetTeamHooksResponseSchema, response)

it('a response is the same compressed, uncompressed, in JSON and by POST, but for its lease', async () => {
  await publishHook(server, admin, `${SCRIPT}# ${'long '.repeat(1000)}\n`, { id: hookId })
  const body = async (format: string, encoding: string) => {
    const headers = { authorization: `Bearer ${bearer}`, 'accept-encoding': encoding }
    const answer = await ask(FORMATS[format]!({ trustVersion: 0 }), headers)
    expect(answer.status).toBe(200)
    return {
      bytes: Buffer.from(await answer.arrayBuffer()),
      encoding: answer.headers.get('content-encoding'),
    }
  }
  const [gzip, plain, refused] = await Promise.all(
    ['deflate, gzip;q=0.5', 'identity', 'gzip;q=0'].map(encoding => body('binary', encoding)),
  )
  expect([gzip!.encoding, plain!.encoding, refused!.encoding]).toEqual(['gzip', null, null])
  const posted = await callerOf(server.url, bearer)(DeviceService).getTeamHooks({})
  const inJson = fromJsonString(GetTeamHooksResponseSchema, (await body('JSON', 'identity')).bytes.toString())
  const all = [gzip!, plain!, refused!].map(({ bytes }) => fromBinary(GetTeamHooksResponseSchema, bytes))
  for (const response of [...all, posted, inJson]) {
    expect(readLease(response.lease!.payload)).toMatchObject({ ok: true, value: { order: 'take' } })
    expect(withoutLease(response)).toBe(withoutLease(posted))
  }
  expect(posted.scripts).toHaveLength(1)
})

it('a device receives no script that it has, and no version of the keys', async () => {
  const { scripts, trust } = await callerOf(server.url, bearer)(DeviceService).getTeamHooks({})
  const { sha256 } = scripts[0]!
  const headers = { authorization: `Bearer ${bearer}` }
  const have = { trustVersion: trust.length, haveSha256: [sha256, 'f'.repeat(64)] }
  const answer = await ask(FORMATS.binary!(have), headers)
  const response = fromBinary(GetTeamHooksResponseSchema, new Uint8Array(await answer.arrayBuffer()))
  expect([response.scripts, response.trust]).toEqual([[], []])
  expect(response.release).toBeDefined()
})

it('a device that polls too often for its hooks is refused with a time to wait', async () => {
  const headers = { authorization: `Bearer ${await enrol()}` }
  const path = FORMATS.binary!({})
  for (let count = 0; count < MOST_CALLS; count++) expect((await ask(path, headers)).status).toBe(200)
  const refused = await ask(path, headers)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('a call by POST does not wait', async () => {
  const answer = await callerOf(server.url, bearer)(DeviceService).getTeamHooks({ waitSeconds: 50 })
  expect(answer.release).toBeDefined()
})

it('of one device 16 polls wait, the newest ones', async () => {
  const etag = await etagNow()
  const leaving = new AbortController()
  setMaxListeners(0, leaving.signal)
  const ends: Promise<number>[] = []
  for (let count = 0; count < 20; count++) {
    ends.push(
      poll(server.url, bearer, etag, leaving.signal).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    await waits(Math.min(16, count + 1))
  }
  expect(await Promise.all(ends.slice(0, 4))).toEqual([304, 304, 304, 304])
  leaving.abort()
  await waits(0)
})

it('devices that do not read their responses do not delay the others', async () => {
  const etag = await etagNow()
  const tokens = await Promise.all(Array.from({ length: 4 }, enrol))
  const { port } = new URL(server.url)
  const etags = await Promise.all(tokens.map(etagNow))
  const sockets = tokens.flatMap((token, device) =>
    Array.from({ length: 16 }, () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.pause()
      const lines = [`GET ${waitingPath()} HTTP/1.1`, 'host: x', `authorization: Bearer ${token}`]
      socket.write(`${lines.join('\r\n')}\r\nif-none-match: ${etags[device]}\r\n\r\n`)
      return socket
    }),
  )
  await waits(64)
  const honest = poll(server.url, bearer, etag)
  await waits(65)
  await publish()
  expect((await honest).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await waits(0)
})

it('a caller that leaves in the middle of a request is no failure of the server', async () => {
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  const lines = [`GET ${waitingPath()} HTTP/1.1`, 'host: x', `authorization: Bearer ${bearer}`]
  socket.write(`${lines.join('\r\n')}\r\nif-none-match: ${await etagNow()}\r\ncontent-length: 7\r\n\r\nabc`)
  await waits(1)
  socket.resetAndDestroy()
  await waits(0)
  expect(server.logged.filter(line => /"level":"(warn|error)"/.test(line))).toEqual([])
})

it('an older client that opens a stream receives a clear error', async () => {
  const stream = callerOf(server.url, bearer)(DeviceService).watch({})
  const refusal = await stream[Symbol.asyncIterator]().next().catch(ConnectError.from)
  expect(refusal).toMatchObject({ code: Code.Unimplemented })
  expect((refusal as ConnectError).rawMessage).toContain('Update Holdfast on this device')
  const anonymous = callerOf(server.url, null)(DeviceService).watch({})
  const unknown = await anonymous[Symbol.asyncIterator]().next().catch(ConnectError.from)
  expect(unknown).toMatchObject({ code: Code.Unauthenticated })
})

it('all polls end cleanly when the server stops, each with a time to return', async () => {
  const etag = await etagNow()
  const polls = Array.from({ length: 5 }, () => poll(server.url, bearer, etag))
  await waits(5)
  await server.close()
  for (const answer of await Promise.all(polls)) {
    expect(answer.status).toBe(503)
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(5)
  }
  server = await startTestServer(database.url)
})
