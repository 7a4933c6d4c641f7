// One port for both generations of HTTP without TLS: gRPC clients begin with HTTP/2 at once, everybody else speaks
// HTTP/1.1. The first bytes tell.

import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import {
  constants,
  createServer as createHttp2,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer as createNet, type Server as NetServer, type Socket } from 'node:net'
import { Complaint } from '../complaint.js'

const PREFACE = Buffer.from('PRI * HTTP/2.0')
/** Whoever says nothing for this long is not waited for. */
const FIRST_BYTES_MS = 30_000
/** In which all of a call must have come. */
const CALL_MS = 120_000
/** A connection of HTTP/2 on which nothing moves; streams of changes say something every 15 seconds. */
const IDLE_MS = 90_000
/** Of one connection: as much as Connect and gRPC clients have under way. */
const MOST_STREAMS = 250

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there. End it, or give another --port',
  EADDRNOTAVAIL: 'this machine does not have that address. Give one of its own with --host',
  EACCES: 'that needs rights that you do not have. Give a --port above 1023',
  ENOTFOUND: 'nobody knows that name. Give an address of this machine with --host',
}

function asComplaint(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reason = REASONS[error.code ?? '']
  return reason ? new Complaint(`The server cannot listen on ${host}:${port}: ${reason}.`) : error
}

export interface Port {
  readonly port: number
  /** Takes no new callers, lets those inside finish, and ends who is still there after the time. */
  close(patienceMs: number): Promise<void>
}

export async function openPort(
  { host, port }: { host: string; port: number },
  given: RequestListener,
  { callMs = CALL_MS, idleMs = IDLE_MS } = {},
): Promise<Port> {
  const listener: RequestListener = (request, response) => {
    // A call that was refused before all of it was heard: the next one on this connection stands behind the rest.
    response.once('finish', () => request.resume())
    given(request, response)
  }
  const http: Server = createHttp({ keepAliveTimeout: idleMs, requestTimeout: callMs }, listener)
  // It never listens by itself, so it is told that it does: only then it knows which connections are idle or too slow.
  http.emit('listening')
  const http2: Http2Server = createHttp2(
    { settings: { maxConcurrentStreams: MOST_STREAMS } },
    inTime(listener as never, callMs),
  )
  const sessions = new Set<ServerHttp2Session>()
  http2.on('session', session => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    let underWay = 0
    session.on('stream', stream => {
      underWay++
      stream.once('close', () => underWay--)
    })
    // A call may take its time in being answered.
    session.setTimeout(idleMs, () => underWay > 0 || session.destroy())
  })
  const sockets = new Set<Socket>()
  const net: NetServer = createNet({ noDelay: true }, socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(FIRST_BYTES_MS, () => socket.destroy())
    socket.once('data', bytes => {
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      socket.pause()
      socket.unshift(bytes)
      const isHttp2 =
        bytes.length >= 3 && PREFACE.subarray(0, bytes.length).equals(bytes.subarray(0, PREFACE.length))
      ;(isHttp2 ? http2 : http).emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  await new Promise<void>((resolve, reject) => {
    net.once('error', error => reject(asComplaint(error, host, port)))
    net.listen(port, host, () => resolve())
  })
  const address = net.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close(patienceMs) {
      const closed = new Promise<void>(resolve => net.close(() => resolve()))
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, patienceMs)
      // Idle connections are kept alive by their clients, not by work: they end now.
      http.closeIdleConnections()
      // Says that no more calls are taken, and ends when those inside have.
      for (const session of sessions) session.close()
      const idle = setInterval(() => http.closeIdleConnections(), 50)
      await closed
      clearTimeout(late)
      clearInterval(idle)
      http.close(() => {})
      http2.close()
    },
  }
}

/** As HTTP/1.1 has it by itself: who is slow in asking is not waited for without end. */
const inTime =
  (listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void, ms: number) =>
  (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const { stream } = request
    const late = setTimeout(() => {
      // All was said, and is only not read.
      if (!stream.state.remoteClose) stream.close(constants.NGHTTP2_CANCEL)
    }, ms).unref()
    const clear = () => clearTimeout(late)
    request.once('end', clear).once('close', clear)
    listener(request, response)
  }
