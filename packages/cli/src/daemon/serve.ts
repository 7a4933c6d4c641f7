// The daemon: accepts calls on its socket, and does the work of each as a process of its own would.

import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { actFor, actForCallers } from './caller.js'
import { openRunFolder, ownPlace, socketIn, takeProof } from './place.js'
import { ownWords } from './program.js'
import { DECLINED, type Reply, type Request, requestReader, WORKING, writeReply } from './protocol.js'

/** Of this bundle. */
declare const __dirname: string

const HEARTBEAT_MS = 1000
const CHECK_MS = 2000
/** An incomplete request holds memory. */
const REQUEST_MS = 60_000

export interface ServeOptions {
  readonly home: string
  readonly idleMs: number
  /** Does the work of a call; undefined if the caller must do it. */
  answer(call: Call): Promise<Reply | undefined>
  log(text: string): void
}

export interface Call {
  /** The words after the program. */
  readonly words: readonly string[]
  readonly body: Buffer
  readonly signal: AbortSignal
}

export interface Daemon {
  status(): DaemonStatus
  /** Accepts no further call, and ends when all calls are answered. */
  retire(why: string): void
}

export interface DaemonStatus {
  readonly pid: number
  readonly version: string
  readonly startedAt: string
  readonly calls: number
  readonly active: number
  readonly cancelled: number
  readonly declined: Readonly<Record<string, number>>
  readonly memoryBytes: number
}

export async function serve(options: ServeOptions, ended: () => void): Promise<Daemon> {
  const { home, idleMs, answer, log } = options
  const folder = openRunFolder(home)
  const place = ownPlace()
  const bundles = stampOfBundles()
  const startedAt = new Date().toISOString()
  const declined: Record<string, number> = {}
  let calls = 0
  let cancelled = 0
  const active = new Set<Socket>()
  let idleSince = process.hrtime.bigint()
  let retired = false

  /** The words after the program; a text is why the caller must do the work itself. */
  const accept = (request: Request): readonly string[] | string => {
    if (!takeProof(folder, request.token)) return 'no proof of access to the home folder'
    if (bundles !== stampOfBundles()) {
      retire('Holdfast was updated')
      return 'Holdfast was updated'
    }
    if (retired) return 'the daemon is ending'
    if (request.home !== home) return 'another home folder'
    if (request.place !== place) return 'other namespaces, root folder, umask or group'
    return ownWords(request) ?? 'another installation of Holdfast'
  }

  const handle = async (socket: Socket, request: Request): Promise<void> => {
    const words = accept(request)
    if (typeof words === 'string') {
      declined[words] = (declined[words] ?? 0) + 1
      if (declined[words] === 1) log(`declined a call: ${words}`)
      socket.end(DECLINED)
      return
    }
    calls++
    // Not at once: each byte wakes the client, which takes the processor from this process.
    const heartbeat = setInterval(() => socket.write(WORKING), HEARTBEAT_MS)
    const controller = new AbortController()
    const cancel = () => {
      if (!controller.signal.aborted) cancelled++
      controller.abort()
    }
    socket.once('end', cancel)
    socket.once('close', cancel)
    try {
      const { cwd, env, body } = request
      const reply = await actFor({ cwd, env }, () => answer({ words, body, signal: controller.signal }))
      if (!reply) declined['left to the caller'] = (declined['left to the caller'] ?? 0) + 1
      socket.off('end', cancel)
      socket.off('close', cancel)
      socket.end(reply ? writeReply(request.token, reply) : DECLINED)
    } finally {
      clearInterval(heartbeat)
    }
  }

  const server = createServer({ allowHalfOpen: true }, socket => {
    const read = requestReader()
    active.add(socket)
    socket.on('error', () => socket.destroy())
    const late = setTimeout(() => socket.destroy(), REQUEST_MS)
    socket.once('close', () => {
      clearTimeout(late)
      active.delete(socket)
      idleSince = process.hrtime.bigint()
      endIfDone()
    })
    const onEnd = () => socket.destroy()
    socket.once('end', onEnd)
    socket.on('data', chunk => {
      try {
        const request = read(chunk)
        if (!request) return
        clearTimeout(late)
        socket.off('end', onEnd)
        handle(socket, request).catch(error => {
          log(`a call failed, and its caller does the work: ${(error as Error).stack ?? error}`)
          socket.destroy()
        })
      } catch (error) {
        log(`received ${(error as Error).message}`)
        socket.destroy()
      }
    })
  })

  const endIfDone = () => {
    if (!retired || active.size > 0) return
    clearInterval(check)
    server.close()
    ended()
  }
  const retire = (why: string) => {
    if (retired) return
    retired = true
    log(`ends: ${why}`)
    if (isOwnSocket()) rmSync(socketIn(folder), { force: true })
    server.close()
    setImmediate(endIfDone)
  }

  // A new name that then replaces the old one: of two daemons that start at once, the later one stays.
  const own = join(folder, `d-${process.pid}`)
  rmSync(own, { force: true })
  for (const name of readdirSync(folder))
    if (name.startsWith('call-')) rmSync(join(folder, name), { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ path: own, backlog: 511 }, resolve)
  })
  const { ino } = statSync(own)
  const isOwnSocket = () => statSync(socketIn(folder), { throwIfNoEntry: false })?.ino === ino
  renameSync(own, socketIn(folder))
  const check = setInterval(() => {
    if (!isOwnSocket()) retire('its socket was removed or replaced')
    const idle = Number(process.hrtime.bigint() - idleSince) / 1e6
    if (active.size === 0 && idle > idleMs) retire('idle')
  }, CHECK_MS)
  actForCallers()
  log(`started: version ${manifest.version}, process ${process.pid}`)

  return {
    retire,
    status: () => ({
      pid: process.pid,
      version: manifest.version,
      startedAt,
      calls,
      active: active.size,
      cancelled,
      declined,
      memoryBytes: process.memoryUsage.rss(),
    }),
  }
}

function stampOfBundles(): string {
  const stamps = ['daemon.cjs', 'commands.cjs'].map(name => {
    const stats = statSync(join(__dirname, name), { throwIfNoEntry: false })
    return `${stats?.size} ${stats?.mtimeMs} ${stats?.ino}`
  })
  return stamps.join()
}
