// The response to a poll with a change, written without Connect: everything but the lease is the same for many devices,
// and Connect would serialise and compress it again for each of them.

import type { IncomingMessage, ServerResponse } from 'node:http'
import * as zlib from 'node:zlib'
import type { CompressedPart, Delivery } from '../rollout/delivery.js'

/** As in Connect: compression costs more than it saves below this size. */
const FEWEST_BYTES = 1024
const GZIP_HEAD = Buffer.from('1f8b0800000000000003', 'hex')
/** The limit of a stored block of deflate. */
const MOST_STORED = 0xffff

export async function writeDelivery(
  { headers }: IncomingMessage,
  response: ServerResponse,
  delivery: Delivery,
): Promise<void> {
  const { etag, shared, lease } = delivery
  const isWorth = shared.bytes.length >= FEWEST_BYTES && lease.length <= MOST_STORED
  const isAccepted = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers['accept-encoding'] ?? ''))
  const part = isWorth && isAccepted ? await shared.compressed() : null
  const body = part ? gzipped(part, delivery) : Buffer.concat([shared.bytes, lease])
  response.writeHead(200, {
    'content-type': 'application/proto',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...(part ? { 'content-encoding': 'gzip' } : {}),
    etag,
  })
  response.end(body)
}

/** The deflated part, the lease as a stored block, and the checksum of both: one stream of gzip. */
function gzipped({ deflated, crc32 }: CompressedPart, { shared, lease }: Delivery): Buffer {
  const block = Buffer.alloc(5)
  block[0] = 1
  block.writeUInt16LE(lease.length, 1)
  block.writeUInt16LE(lease.length ^ MOST_STORED, 3)
  const end = Buffer.alloc(8)
  end.writeUInt32LE(zlib.crc32(lease, crc32), 0)
  end.writeUInt32LE((shared.bytes.length + lease.length) >>> 0, 4)
  return Buffer.concat([GZIP_HEAD, deflated, block, lease, end])
}
