// How a stream is spoken: Connect, gRPC and gRPC-Web frame messages alike, and say the end each in its own way.

import type { ServerResponse } from 'node:http'

export interface Tongue {
  readonly isJson: boolean
  /** With a sentence when the call was not understood. */
  end(response: ServerResponse, problem?: string): void
}

const MARKED_END = { connect: 0b10, web: 0x80 }
const NOT_UNDERSTOOD = '3'

/** A flag, the length, the bytes. */
export function frame(flag: number, bytes: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(5 + bytes.length)
  framed[0] = flag
  framed.writeUInt32BE(bytes.length, 1)
  framed.set(bytes, 5)
  return framed
}

/** What a single frame holds; null for anything else. */
export function framed(body: Buffer): Buffer | null {
  return body.length >= 5 && body[0] === 0 && body.readUInt32BE(1) === body.length - 5
    ? body.subarray(5)
    : null
}

const status = (problem: string | undefined): Record<string, string> =>
  problem === undefined
    ? { 'grpc-status': '0' }
    : { 'grpc-status': NOT_UNDERSTOOD, 'grpc-message': encodeURIComponent(problem) }

const ENDS: Readonly<Record<string, Tongue['end']>> = {
  'application/connect'(response, message) {
    const end = message === undefined ? {} : { error: { code: 'invalid_argument', message } }
    response.end(frame(MARKED_END.connect, Buffer.from(JSON.stringify(end))))
  },
  'application/grpc'(response, problem) {
    response.addTrailers(status(problem))
    response.end()
  },
  'application/grpc-web'(response, problem) {
    const lines = Object.entries(status(problem)).map(([name, value]) => `${name}: ${value}\r\n`)
    response.end(frame(MARKED_END.web, Buffer.from(lines.join(''))))
  },
}

export const TONGUES: ReadonlyMap<string, Tongue> = new Map(
  Object.entries(ENDS).flatMap(([type, end]): [string, Tongue][] => [
    // Connect has no word for the usual: there it is a unary call.
    ...(type === 'application/connect' ? [] : [[type, { isJson: false, end }] as [string, Tongue]]),
    [`${type}+proto`, { isJson: false, end }],
    [`${type}+json`, { isJson: true, end }],
  ]),
)
