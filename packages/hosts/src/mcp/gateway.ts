// One client, one server, and the hooks between them. Lines are read on both sides and handed on as they are, unless
// a hook has to say something about them.

import type { Readable, Writable } from 'node:stream'
import type { HostOptions } from '@holdfast/hooks'
import { type Ask, type AskElsewhere, type Asking, askThrough, type ElsewhereAsk } from './ask.js'
import { failedCall, type ServerInfo } from './call.js'
import { type Opened, openEngine } from './engine.js'
import { fromClient, type Outward } from './from-client.js'
import { fromServer, type Homeward } from './from-server.js'
import { HeldQuestions } from './held.js'
import { linesOf } from './lines.js'
import { keyOf, type Message } from './message.js'
import { hasForms, nameOf } from './modern.js'
import { openPins, type Pins } from './pins.js'
import type { Ended, Note, Server } from './server.js'
import { translated } from './translate.js'
import { goneAnswer, WaitingRoom } from './waiting.js'
import { type Write, writerOf } from './writer.js'

/** After the client has left: how long the gateway waits for hooks, and then for the server's responses. */
const UNFINISHED_MS = 5000
/** A server that has nothing to do any more ends when its stdin does, or is ended. */
const IDLE_MS = 1500
/** Nor does anybody wait forever for a client that has left and does not read. */
const UNREAD_MS = 10_000
const UNREAD_URGENT_MS = 1000
/** A server that does not give its name is called without it. */
const NAME_MS = 2000

export interface GatewayOptions {
  /** Options of the engine; questions from hooks go to the client where it can take them. */
  readonly host: HostOptions
  readonly input: Readable
  readonly output: Writable
  readonly server: Server
  /** The client has no revision of the protocol before 2026-07-28, so a server that has no later one is translated. */
  readonly forModernOnly?: boolean
  /** How hooks know the server: its name in the client's settings, and how it is reached. */
  readonly fields: ServerInfo
  /** For clients that cannot show forms; without it, their questions are denied. */
  readonly askElsewhere?: AskElsewhere
  /** Where the definitions of the server's tools are kept; without it, changed definitions are not noticed. */
  readonly pinFile?: string
  /** Ends everything at once. */
  readonly signal?: AbortSignal
  readonly note?: Note
}

/** Resolves when both sides have ended, to the exit code of the server. */
export function runGateway(options: GatewayOptions): Promise<number> {
  return new Gateway(options).run()
}

class Gateway implements Outward, Homeward {
  readonly waiting = new WaitingRoom()
  readonly held = new HeldQuestions()
  readonly pins: Pins | undefined
  ask: Ask | null = null
  readonly note: Note
  readonly write: Write
  private readonly asking: Asking
  /** Begins the ids of the gateway's own requests. */
  private readonly ownId = `holdfast-${process.pid}-${Date.now().toString(36)}`
  readonly server: Server
  private opened: Promise<Opened> | undefined
  private serverName: string | undefined
  private naming: Promise<void> | undefined
  private isContextGiven = false
  private clientName: string | undefined
  private readonly leaving = new AbortController()
  gone: Ended | undefined
  readonly signal: AbortSignal | undefined
  /** Messages in the hands of hooks, on their way to the server and back. */
  private readonly onTheWay = new Set<Promise<unknown>>()
  private readonly onTheWayBack = new Set<Promise<unknown>>()

  constructor(private readonly options: GatewayOptions) {
    this.server = translated(options.server, options.forModernOnly ?? false)
    this.signal = options.signal
    this.note = options.note ?? (() => {})
    this.write = writerOf(options.output)
    this.asking = askThrough(text => this.say(text))
    this.pins = options.pinFile === undefined ? undefined : openPins(options.pinFile, this.note)
  }

  async run(): Promise<number> {
    const { input, output, signal } = this.options
    const leave = () => input.destroy()
    const drop = (ms: number) => setTimeout(() => output.destroy(), ms).unref()
    output.once('error', leave)
    output.once('close', leave)
    signal?.addEventListener('abort', leave)
    signal?.addEventListener('abort', () => drop(UNREAD_URGENT_MS))
    if (signal?.aborted) leave()
    const serverGone = Promise.all([this.readServer(), this.server.ended])
    await Promise.race([this.readClient().then(() => drop(UNREAD_MS)), serverGone])
    await this.letServerGo(serverGone)
    const [, ended] = await serverGone
    this.gone = ended
    await this.giveUp(ended)
    input.destroy()
    await this.endSession(ended)
    return ended.code
  }

  private async readClient(): Promise<void> {
    try {
      for await (const line of linesOf(this.options.input)) await fromClient(this, line)
    } catch {
      // It was cut off; the end of it is all that counts.
    }
  }

  private async readServer(): Promise<void> {
    try {
      for await (const line of this.server.lines) await fromServer(this, line)
    } catch {
      // The server itself reports its end.
    }
  }

  // ——— what both need ———

  open(greeting?: Message): Promise<Opened> {
    if (greeting && hasForms(greeting.params?.capabilities)) this.ask = this.asking.ask
    this.clientName ??= nameOf(greeting?.params?.clientInfo)
    this.opened ??= openEngine(
      { ...this.options.host },
      async question => (await (this.ask ?? this.askElsewhere)?.(question)) ?? false,
      this.note,
    )
    return this.opened
  }

  get askElsewhere(): ElsewhereAsk | null {
    const { askElsewhere } = this.options
    if (!askElsewhere) return null
    return async question => {
      const controller = new AbortController()
      const withdraw = () => controller.abort()
      const signals = [question.signal, this.leaving.signal]
      if (signals.some(signal => signal?.aborted)) return false
      for (const signal of signals) signal?.addEventListener('abort', withdraw)
      try {
        const client = this.clientName ?? 'An MCP client'
        return await askElsewhere({ ...question, signal: controller.signal }, client)
      } finally {
        for (const signal of signals) signal?.removeEventListener('abort', withdraw)
      }
    }
  }

  serverInfo(): ServerInfo {
    const { fields } = this.options
    return this.serverName === undefined ? fields : { mcp_server_name: this.serverName, ...fields }
  }

  named(serverName: string | undefined): void {
    this.serverName ??= serverName
  }

  greeted(version: string): void {
    this.server.greeted(version)
  }

  learnName(metaText: string): Promise<void> {
    if (this.serverInfo().mcp_server_name !== undefined) return Promise.resolve()
    this.naming ??= new Promise(done => {
      const id = `"${this.ownId}-name"`
      this.waiting.set(keyOf(id), { kind: 'own', done })
      setTimeout(done, NAME_MS).unref()
      this.server.send(
        `{"jsonrpc":"2.0","id":${id},"method":"server/discover","params":{"_meta":${metaText}}}\n`,
        [id],
      )
    })
    return this.naming
  }

  takeContext({ context }: Opened): string | null {
    if (this.isContextGiven) return null
    this.isContextGiven = true
    return context
  }

  takesAnswer(message: Message): boolean {
    return this.asking.take(message)
  }

  outward(work: Promise<unknown>): Promise<void> {
    return this.keep(this.onTheWay, work)
  }

  homeward(work: Promise<unknown>): void {
    this.keep(this.onTheWayBack, work)
  }

  say(text: string): void {
    this.write(`${text}\n`)
  }

  private keep<T>(where: Set<Promise<unknown>>, work: Promise<T>): Promise<void> {
    const kept: Promise<void> = work.then(
      () => void where.delete(kept),
      (error: Error) => {
        where.delete(kept)
        this.note(`Internal error in the gateway: ${error.message}`)
      },
    )
    where.add(kept)
    return kept
  }

  // ——— the end ———

  private async letServerGo(serverGone: Promise<unknown>): Promise<void> {
    const isUrgent = this.signal?.aborted === true
    this.asking.close()
    this.leaving.abort()
    this.held.close()
    if (!isUrgent) {
      await Promise.race([Promise.all(this.onTheWay), serverGone, pause(UNFINISHED_MS, this.signal)])
    }
    const calls = this.waiting.calls()
    for (const { abort, sentAt } of calls) if (sentAt === undefined) abort.abort()
    const isNeeded = calls.some(({ sentAt }) => sentAt !== undefined)
    this.server.finish(this.signal?.aborted ? 0 : isNeeded ? UNFINISHED_MS : IDLE_MS)
    this.signal?.addEventListener('abort', () => this.server.finish(0))
  }

  /** Informs waiting callers that nothing will come. */
  private async giveUp({ words }: Ended): Promise<void> {
    await Promise.all(this.onTheWay)
    for (const call of this.waiting.calls()) {
      this.say(goneAnswer(call.id, words))
      if (call.sentAt === undefined) continue
      const duration = Math.round(performance.now() - call.sentAt)
      const told = this.open().then(({ session }) =>
        failedCall(session, call.tool, { message: words, duration }),
      )
      this.homeward(told)
    }
    await Promise.all(this.onTheWayBack)
  }

  private async endSession({ isCrash, words }: Ended): Promise<void> {
    const opened = await this.opened?.catch(() => undefined)
    if (!opened) return
    const isAborted = this.signal?.aborted === true
    await opened.session.end({
      reason: isAborted ? 'aborted' : isCrash ? 'error' : 'completed',
      ...(isCrash && !isAborted ? { error_message: words } : {}),
    })
    opened.hooks.close()
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    signal?.addEventListener('abort', () => resolve())
  })
