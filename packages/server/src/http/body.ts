// The body of a call, before Connect parses it: limits its size and element count, and replaces it by an empty message
// if the caller was rejected.

import type { DescMessage } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  compressionBrotli,
  compressionGzip,
  type universalRequestFromNodeRequest,
} from '@connectrpc/connect-node'
import { hasFewElementsBinary, hasFewElementsJson, MOST_ELEMENTS } from '../access/element-count.js'

export type Call = ReturnType<typeof universalRequestFromNodeRequest>

export interface BodyLimit {
  readonly message: DescMessage
  readonly bytes: number
}

/** Of a message in a stream: a flag and the length. */
const FRAME_HEAD = 5
const COMPRESSED_FRAME = 1
const ENCODINGS = ['content-encoding', 'connect-content-encoding']

/** Connect compares without regard to case. */
const typeOf = ({ header }: Call): string => (header.get('content-type') ?? '').toLowerCase()
const isFramed = (call: Call): boolean => typeOf(call).startsWith('application/connect+')
const isJson = (call: Call): boolean =>
  call.method === 'GET'
    ? new URL(call.url).searchParams.get('encoding') === 'json'
    : /json/.test(typeOf(call))

const tooMuch = (message: string) => new ConnectError(message, Code.ResourceExhausted)
const tooLarge = (most: number) => tooMuch(`The message is larger than ${most} bytes. Send less at once.`)

/** The same call with an empty message: Connect then writes the rejection in the caller's format. */
export function withEmptyBody(call: Call): Call {
  const header = new Headers(call.header)
  for (const name of [...ENCODINGS, 'content-length']) header.delete(name)
  const message = Buffer.from(isJson(call) ? '{}' : '')
  const url = new URL(call.url)
  if (call.method === 'GET') url.search = '?connect=v1&encoding=json&message=%7B%7D'
  const head = Buffer.alloc(FRAME_HEAD)
  head.writeUInt32BE(message.length, 1)
  const body = async function* () {
    yield isFramed(call) ? Buffer.concat([head, message]) : message
  }
  return { ...call, header, url: url.toString(), body: body() }
}

/** The same call; its body fails where it exceeds the limit. */
export function withinLimit(call: Call, limit: BodyLimit): Call {
  const body = async function* () {
    // A caller that announces too much is rejected before it begins.
    if (Number(call.header.get('content-length')) > limit.bytes + FRAME_HEAD) throw tooLarge(limit.bytes)
    const bytes = await readAll(call.body as AsyncIterable<Uint8Array>, limit.bytes)
    for (const message of plainMessages(call, bytes)) {
      const isSmall = isJson(call)
        ? hasFewElementsJson(message)
        : hasFewElementsBinary(limit.message, message)
      if (!isSmall) throw tooMuch(`The message has more than ${MOST_ELEMENTS} elements. Send less at once.`)
    }
    yield bytes
  }
  return { ...call, body: body() }
}

async function readAll(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    // Read to the end without being stored: the next call of this connection comes after it.
    if (size <= most + FRAME_HEAD) parts.push(part)
  }
  if (size > most + FRAME_HEAD) throw tooLarge(most)
  return Buffer.concat(parts)
}

/** All but compressed ones, which `compression` rejects. */
function* plainMessages(call: Call, bytes: Buffer): Generator<Uint8Array> {
  if (!isFramed(call)) {
    const encoding = call.header.get('content-encoding')
    if (!compression.some(({ name }) => name === encoding)) yield bytes
    return
  }
  for (let at = 0; at + FRAME_HEAD <= bytes.length; ) {
    const end = at + FRAME_HEAD + bytes.readUInt32BE(at + 1)
    if ((bytes[at]! & COMPRESSED_FRAME) === 0) yield bytes.subarray(at + FRAME_HEAD, end)
    at = end
  }
}

/** Responses are compressed; requests are not, because a small one could expand to anything. */
export const compression = [compressionGzip, compressionBrotli].map((one): typeof compressionGzip => ({
  ...one,
  decompress: () => Promise.reject(tooMuch('Requests must not be compressed. Send the message as it is.')),
}))
