// One port for both generations of HTTP without TLS: gRPC clients begin with HTTP/2 at once, everybody else speaks
// HTTP/1.1. The first bytes tell.

import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import { createServer as createHttp2, type Http2Server, type ServerHttp2Session } from 'node:http2'
import { createServer as createNet, type Server as NetServer, type Socket } from 'node:net'

const PREFACE = Buffer.from('PRI * HTTP/2.0')
/** Whoever says nothing for this long is not waited for. */
const FIRST_BYTES_MS = 30_000

export interface Port {
  readonly port: number
  /** Takes no new callers, lets those inside finish, and ends who is still there after the time. */
  close(patienceMs: number): Promise<void>
}

export async function openPort(
  { host, port }: { host: string; port: number },
  given: RequestListener,
): Promise<Port> {
  const listener: RequestListener = (request, response) => {
    // A call that was refused before all of it was heard: the next one on this connection stands behind the rest.
    response.once('finish', () => request.resume())
    given(request, response)
  }
  const http: Server = createHttp({ keepAliveTimeout: 90_000, requestTimeout: 120_000 }, listener)
  // It never listens by itself, so it is told that it does: only then it knows which connections are idle or too slow.
  http.emit('listening')
  const http2: Http2Server = createHttp2({}, listener as never)
  const sessions = new Set<ServerHttp2Session>()
  http2.on('session', session => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
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
    net.once('error', reject)
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
