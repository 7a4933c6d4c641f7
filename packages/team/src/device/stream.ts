// One stream from the server, from its first word to its end. It says that something changed, never what.

import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { DeviceService, type WatchResponse } from '../gen/holdfast/team/v1/device_pb.js'
import type { Around } from './around.js'
import type { Address } from './rpc.js'
import { waitOf } from './rpc.js'
import { SILENCE_MS } from './waits.js'

export interface StreamEnd {
  /** The server said something. */
  readonly heard: boolean
  /** It was cut off by silence, or by the server without an error. */
  readonly ended: 'silence' | 'closed' | 'failed' | 'unauthorized'
  readonly livedMs: number
  /** As the server told. */
  readonly waitMs?: number | undefined
}

export async function readStream(
  around: Around,
  { server, token = '' }: Address,
  onMessage: (message: WatchResponse) => void,
  signal: AbortSignal,
): Promise<StreamEnd> {
  const start = around.now()
  const silence = new AbortController()
  const client = createClient(DeviceService, createConnectTransport({ baseUrl: server, httpVersion: '1.1' }))
  let heard = false
  let dog = new AbortController()
  // Each message calls the dog off and sets a new one.
  const guard = () => {
    dog.abort()
    dog = new AbortController()
    const mine = dog.signal
    void around.sleep(SILENCE_MS, mine).then(() => {
      if (!mine.aborted) silence.abort()
    })
  }
  const end = (ended: StreamEnd['ended'], waitMs?: number): StreamEnd => ({
    heard,
    ended: silence.signal.aborted ? 'silence' : ended,
    livedMs: around.now() - start,
    waitMs,
  })
  guard()
  try {
    const options = {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, silence.signal]),
    }
    for await (const message of client.watch({}, options)) {
      heard = true
      guard()
      onMessage(message)
    }
    return end('closed')
  } catch (error) {
    const { code, metadata } = ConnectError.from(error)
    const isOut = code === Code.Unauthenticated || code === Code.PermissionDenied
    return end(isOut ? 'unauthorized' : 'failed', waitOf(metadata.get('retry-after'), around.now()))
  } finally {
    dog.abort()
  }
}
