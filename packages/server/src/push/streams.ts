// The streams of devices, without Connect between: what it keeps of a stream is forty kilobytes, and there are thousands
// that say a few bytes in a minute.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { create, fromBinary, fromJsonString, toBinary, toJsonString } from '@bufbuild/protobuf'
import { WatchRequestSchema, WatchResponseSchema } from '@holdfast/team'
import { frame, framed, TONGUES, type Tongue } from './tongues.js'
import type { Bearer, Listener, Said, Watching } from './watch.js'

const PATH = '/holdfast.team.v1.DeviceService/Watch'
/** The call says next to nothing. */
const LARGEST = 4096
/** Who has this much to read already is told no more. */
const MOST_UNREAD = 16_384
/** What only Connect understands. */
const ELSEWHERE = ['connect-timeout-ms', 'grpc-timeout', 'connect-content-encoding', 'grpc-encoding']

export interface Streams {
  /** True when it was one, of a device that is known. Everybody else hears at the door why not. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

export interface StreamOptions {
  readonly watching: Watching
  /** By which token a device comes; undefined for whoever is no device. */
  identify(request: IncomingMessage): Promise<Bearer | undefined>
  counted(isUnderstood: boolean): void
}

export function openStreams({ watching, identify, counted }: StreamOptions): Streams {
  return {
    async handle(request, response) {
      const { headers, method, url } = request
      if (url !== PATH || method !== 'POST') return false
      const type = headers['content-type'] ?? ''
      const tongue = TONGUES.get(type)
      if (!tongue || ELSEWHERE.some(name => (headers[name] ?? 'identity') !== 'identity')) return false
      const bearer = await identify(request)
      if (!bearer) return false
      const body = await bodyOf(request)
      if (!body || response.destroyed) return true
      const isUnderstood = understands(tongue, body)
      counted(isUnderstood)
      response.writeHead(200, { 'content-type': type })
      if (isUnderstood) listen(watching, bearer, tongue, response)
      else tongue.end(response, 'This is no single WatchRequest of at most 4096 bytes.')
      return true
    },
  }
}

function listen(watching: Watching, bearer: Bearer, tongue: Tongue, response: ServerResponse): void {
  const listener: Listener = {
    say(said) {
      if (response.writableLength < MOST_UNREAD)
        response.write(written(said)[tongue.isJson ? 'json' : 'binary'])
    },
    end: () => tongue.end(response),
  }
  response.once('close', () => watching.leave(listener))
  watching.join(listener, bearer)
}

/** Null when the caller left meanwhile; empty when it is too much. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request) {
      size += chunk.length
      if (size <= LARGEST) chunks.push(chunk)
    }
  } catch {
    return null
  }
  return size <= LARGEST ? Buffer.concat(chunks) : Buffer.alloc(0)
}

function understands({ isJson }: Tongue, body: Buffer): boolean {
  const bytes = framed(body)
  if (!bytes) return false
  try {
    if (isJson) fromJsonString(WatchRequestSchema, bytes.toString('utf8'), { ignoreUnknownFields: true })
    else fromBinary(WatchRequestSchema, bytes)
    return true
  } catch {
    return false
  }
}

let last: { readonly said: Said; readonly json: Buffer; readonly binary: Buffer } | null = null

/** Thousands hear the same at once. */
function written(said: Said) {
  if (last?.said === said) return last
  const message = create(WatchResponseSchema, said)
  const json = frame(0, Buffer.from(toJsonString(WatchResponseSchema, message)))
  last = { said, json, binary: frame(0, toBinary(WatchResponseSchema, message)) }
  return last
}
