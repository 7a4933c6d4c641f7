// A TCP proxy between a server and its database, whose network can fail.

import { connect, createServer, type Socket } from 'node:net'

export interface FaultyNetwork {
  /** The same URL, through the proxy. */
  through(url: string): string
  /** New connections go to the server of this URL. */
  leadTo(url: string): void
  /** Present connections stay open, but no data passes. */
  silence(): void
  close(): Promise<void>
}

export async function startProxy(url: string): Promise<FaultyNetwork> {
  let target = new URL(url)
  const open = new Set<Socket>()
  const server = createServer(inner => {
    const outer = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      open.add(one)
      one.on('data', bytes => other.write(bytes))
      one.on('close', () => {
        open.delete(one)
        if (!one.isPaused()) other.destroy()
      })
      one.on('error', () => {})
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    through: given => Object.assign(new URL(given), { hostname: '127.0.0.1', port: String(port) }).href,
    leadTo(given) {
      target = new URL(given)
    },
    silence() {
      for (const socket of open) socket.pause()
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
