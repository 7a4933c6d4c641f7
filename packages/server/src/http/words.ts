// What a call brings along: as a whole, unpacked or not, in one frame or in none.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { DescMessage } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  compressionBrotli,
  compressionGzip,
  type universalRequestFromNodeRequest,
} from '@connectrpc/connect-node'
import { isFewInBinary, isFewInJson, MOST_PIECES } from '../access/pieces.js'
import { frame } from '../push/tongues.js'

export type Asked = ReturnType<typeof universalRequestFromNodeRequest>

export interface Limit {
  readonly message: DescMessage
  /** Bytes. */
  readonly most: number
}

const FRAME_HEAD = 5
const PACKED_FRAME = 1
const PACKED = ['content-encoding', 'connect-content-encoding', 'grpc-encoding']

/** In any letters, as Connect takes it. */
const typeOf = ({ header }: Asked): string => (header.get('content-type') ?? '').toLowerCase()
const isFramed = (asked: Asked): boolean => /^application\/(connect\+|grpc)/.test(typeOf(asked))
const isJson = (asked: Asked): boolean =>
  asked.method === 'GET'
    ? new URL(asked.url).searchParams.get('encoding') === 'json'
    : /json/.test(typeOf(asked))

const tooMuch = (sentence: string) => new ConnectError(sentence, Code.ResourceExhausted)
const tooLarge = (most: number) => tooMuch(`More than ${most} bytes were sent, which is the most.`)

/** In the place of what somebody said who is not heard: nothing, in the same words. */
export function withoutWords(asked: Asked): Asked {
  const header = new Headers(asked.header)
  for (const name of [...PACKED, 'content-length']) header.delete(name)
  const nothing = Buffer.from(isJson(asked) ? '{}' : '')
  const url = new URL(asked.url)
  if (asked.method === 'GET') url.search = '?connect=v1&encoding=json&message=%7B%7D'
  const body = async function* () {
    yield isFramed(asked) ? frame(0, nothing) : nothing
  }
  return { ...asked, header, url: url.toString(), body: body() }
}

/** The same, but broken off where it is too much. */
export function bounded(limit: Limit, asked: Asked): Asked {
  const body = async function* () {
    // Who says beforehand how much it is has not begun.
    if (Number(asked.header.get('content-length')) > limit.most + FRAME_HEAD) throw tooLarge(limit.most)
    const bytes = await allOf(asked.body as AsyncIterable<Uint8Array>, limit.most)
    for (const words of plainIn(asked, bytes)) mustBeFew(limit, asked, words)
    yield bytes
  }
  return { ...asked, body: body() }
}

async function allOf(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    // Heard to the end, and not kept: who breaks off here leaves the rest in the way of the next call.
    if (size <= most + FRAME_HEAD) parts.push(part)
  }
  if (size > most + FRAME_HEAD) throw tooLarge(most)
  return Buffer.concat(parts)
}

/** What is not packed, whatever the header says of the rest. */
function* plainIn(asked: Asked, bytes: Buffer): Generator<Uint8Array> {
  if (!isFramed(asked)) {
    const encoding = asked.header.get('content-encoding')
    if (!packings.some(({ name }) => name === encoding)) yield bytes
    return
  }
  for (let at = 0; at + FRAME_HEAD <= bytes.length; ) {
    const end = at + FRAME_HEAD + bytes.readUInt32BE(at + 1)
    if ((bytes[at]! & PACKED_FRAME) === 0) yield bytes.subarray(at + FRAME_HEAD, end)
    at = end
  }
}

function mustBeFew({ message }: Limit, asked: Asked, words: Uint8Array): void {
  if (isJson(asked) ? isFewInJson(words) : isFewInBinary(message, words)) return
  throw tooMuch(`The message is made of more than ${MOST_PIECES} pieces. Send less at once.`)
}

/** What was packed can be looked at only where it is unpacked, which happens inside Connect. */
const unpacking = new AsyncLocalStorage<{ limit: Limit; asked: Asked }>()

const isPacked = ({ method, header, url }: Asked): boolean =>
  PACKED.some(name => header.has(name)) || (method === 'GET' && new URL(url).searchParams.has('compression'))

export const reading = <T>(limit: Limit, asked: Asked, work: () => Promise<T>): Promise<T> =>
  isPacked(asked) ? unpacking.run({ limit, asked }, work) : work()

export const packings = [compressionGzip, compressionBrotli].map((packing): typeof compressionGzip => ({
  ...packing,
  async decompress(bytes, most) {
    const { limit, asked } = unpacking.getStore()!
    const words = await packing.decompress(bytes, Math.min(most, limit.most))
    mustBeFew(limit, asked, words)
    return words
  },
}))
