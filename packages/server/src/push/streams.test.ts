// Which calls become a stream of a device, and how much is written to one that does not read.

import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { openStreams } from './streams.js'
import { frame } from './tongues.js'
import type { Bearer, Listener } from './watch.js'

const EMPTY = frame(0, new Uint8Array())
const BEARER: Bearer = { tokenId: 't', asOf: 1 }

/** What became of a call that differs from a good one only by this. */
async function called({
  bearer = BEARER as Bearer | null,
  body = [EMPTY] as Buffer[],
  headers = {} as Record<string, string>,
  method = 'POST',
  url = '/holdfast.team.v1.DeviceService/Watch',
} = {}) {
  const joined: Listener[] = []
  const counted: boolean[] = []
  const watching = {
    connected: () => joined.length,
    join: (listener: Listener, by: Bearer) => {
      expect(by).toEqual(BEARER)
      joined.push(listener)
    },
    leave: (listener: Listener) => void joined.splice(joined.indexOf(listener), 1),
    close() {},
  }
  const written: Buffer[] = []
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    status: 0,
    isEnded: false,
    writeHead(status: number) {
      response.status = status
    },
    write: (bytes: Buffer) => void written.push(bytes),
    addTrailers() {},
    end() {
      response.isEnded = true
    },
  })
  const request = Object.assign(Readable.from(body), {
    method,
    url,
    headers: { 'content-type': 'application/connect+proto', ...headers },
  })
  const streams = openStreams({
    watching,
    identify: async () => bearer ?? undefined,
    counted: isUnderstood => void counted.push(isUnderstood),
  })
  const isStream = await streams.handle(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
  )
  return { isStream, joined, counted, response, written }
}

it('a call of a known device becomes a stream, and leaves when it is closed', async () => {
  const { isStream, joined, counted, response, written } = await called()
  expect([isStream, joined.length, counted, response.status]).toEqual([true, 1, [true], 200])
  joined[0]!.say({ epoch: 1, spreadMs: 0 })
  expect(written).toHaveLength(1)
  joined[0]!.end()
  expect(response.isEnded).toBe(true)
  response.emit('close')
  expect(joined).toEqual([])
})

it('a stream that nobody reads is written no more than 16 KiB', async () => {
  const { joined, response, written } = await called()
  const said = { epoch: 1, spreadMs: 0 }
  response.writableLength = 16_383
  joined[0]!.say(said)
  response.writableLength = 16_384
  joined[0]!.say(said)
  expect(written).toHaveLength(1)
})

it.each([
  ['of somebody unknown', { bearer: null }],
  ['to another path', { url: '/holdfast.team.v1.DeviceService/Watch2' }],
  ['by another method', { method: 'GET' }],
  ['of another type', { headers: { 'content-type': 'application/proto' } }],
  ['with a deadline of Connect', { headers: { 'connect-timeout-ms': '1' } }],
  ['with a deadline of gRPC', { headers: { 'grpc-timeout': '1S' } }],
  ['compressed by Connect', { headers: { 'connect-content-encoding': 'gzip' } }],
  ['compressed by gRPC', { headers: { 'grpc-encoding': 'gzip' } }],
])('a call %s is left to others', async (_, change) => {
  const { isStream, joined, response } = await called(change)
  expect([isStream, joined.length, response.status]).toEqual([false, 0, 0])
})

it.each([
  ['nothing', []],
  ['no frame', [Buffer.from('{}')]],
  ['two frames', [EMPTY, EMPTY]],
  ['a compressed frame', [frame(1, new Uint8Array())]],
  ['half a frame', [EMPTY.subarray(0, 4)]],
  ['more than 4096 bytes', [EMPTY, Buffer.alloc(4096)]],
  ['bytes that are no message', [frame(0, Buffer.from([0xff]))]],
])('a call with %s is ended with an error', async (_, body) => {
  const { isStream, joined, counted, response } = await called({ body })
  expect([isStream, joined.length, counted, response.isEnded]).toEqual([true, 0, [false], true])
})
