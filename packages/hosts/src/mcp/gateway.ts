// One client, one server, and the hooks between them. Lines are read on both sides and handed on as they are, unless
// a hook has to say something about them.

import type { Readable, Writable } from 'node:stream'
import type { HostOptions } from '@holdfast/hooks'
import { type Asking, askThrough } from './ask.js'
import { failedCall, type ServerFacts } from './call.js'
import { type Opened, openEngine } from './engine.js'
import { linesOf } from './lines.js'
import {
  CODE,
  errorAnswer,
  isObject,
  isRequest,
  type Line,
  type Message,
  mayHoldCall,
  type Part,
  readLine,
} from './message.js'
import type { Ended, Note, Server } from './server.js'
import { type Back, towardClient } from './toward-client.js'
import { GREETING, type Toward, toward } from './toward-server.js'
import { type Batch, goneAnswer, WaitingRoom } from './waiting.js'
import { type Write, writerOf } from './writer.js'

/** The client has left: what hooks still weigh is waited for, and then what the server still answers. */
const UNFINISHED_MS = 5000
/** A server that has nothing to do any more ends when its stdin does, or is ended. */
const IDLE_MS = 1500

export interface GatewayOptions {
  /** What the engine is told; questions of hooks go to the client where it can take them. */
  readonly host: HostOptions
  readonly input: Readable
  readonly output: Writable
  readonly server: Server
  /** How hooks know the server: its name in the client's settings, and how it is reached. */
  readonly facts: ServerFacts
  /** Ends everything at once. */
  readonly signal?: AbortSignal
  readonly note?: Note
}

/** Resolves when both sides have ended, to the exit code of the server. */
export function runGateway(options: GatewayOptions): Promise<number> {
  return new Gateway(options).run()
}

class Gateway implements Toward, Back {
  readonly waiting = new WaitingRoom()
  readonly note: Note
  private readonly write: Write
  private readonly asking: Asking
  private readonly server: Server
  private opened: Promise<Opened> | undefined
  private serverName: string | undefined
  private gone: Ended | undefined
  /** Messages in the hands of hooks, on their way to the server and back. */
  private readonly onTheWay = new Set<Promise<unknown>>()
  private readonly onTheWayBack = new Set<Promise<unknown>>()

  constructor(private readonly options: GatewayOptions) {
    this.server = options.server
    this.note = options.note ?? (() => {})
    this.write = writerOf(options.output)
    this.asking = askThrough(text => this.say(text), `holdfast-${process.pid}-${Date.now().toString(36)}`)
  }

  async run(): Promise<number> {
    const { input, output, signal } = this.options
    const leave = () => input.destroy()
    output.once('error', leave)
    output.once('close', leave)
    signal?.addEventListener('abort', leave)
    if (signal?.aborted) leave()
    const fromServer = this.readServer()
    const serverGone = Promise.all([fromServer, this.server.ended])
    await Promise.race([this.readClient(), serverGone])
    await this.letServerGo(serverGone)
    const [, ended] = await serverGone
    this.gone = ended
    await this.giveUp(ended)
    input.destroy()
    await this.endSession(ended)
    return ended.code
  }

  // ——— client → server ———

  private async readClient(): Promise<void> {
    try {
      for await (const line of linesOf(this.options.input)) await this.fromClient(line)
    } catch {
      // It was cut off; the end of it is all that counts.
    }
  }

  /** Waits only where the next line must not overtake this one. */
  private fromClient(line: Buffer | null): Promise<void> | undefined {
    const text = line?.toString('utf8')
    const read: Line = text === undefined ? { kind: 'unreadable' } : readLine(text)
    if (line === null || read.kind === 'ambiguous' || (read.kind === 'unreadable' && mayHoldCall(text!))) {
      const [code, words] = line === null ? TOO_LONG : read.kind === 'ambiguous' ? AMBIGUOUS : UNREADABLE
      this.note(`A message of the client was not passed on. ${words}`)
      this.say(errorAnswer(undefined, code, words))
      return undefined
    }
    if (read.kind === 'one') return this.passOne(read.message, line)
    if (read.kind === 'batch') return this.passBatch(read.parts, line)
    return this.server.send(line, [])
  }

  private passOne(message: Message, line: Buffer): Promise<void> | undefined {
    const requests = idsOf([message])
    if (this.gone) {
      for (const id of requests) this.say(goneAnswer(id, this.gone.words))
      return undefined
    }
    const send = (text: string | undefined) =>
      text === undefined ? undefined : this.server.send(text === message.text ? line : text, requests)
    const sent = toward(this, message, text => this.say(text))
    if (!(sent instanceof Promise)) return send(sent)
    const work = this.keep(this.onTheWay, sent.then(send))
    return message.method === GREETING ? work : undefined
  }

  private passBatch(parts: readonly Part[], line: Buffer): Promise<void> | undefined {
    const batch: Batch = { answers: [] }
    const sent = parts.map(part =>
      part.members ? toward(this, part, text => batch.answers.push(text)) : part.text,
    )
    const send = (texts: readonly (string | undefined)[]) => {
      const left = parts.filter((_, index) => texts[index] !== undefined)
      const requests = left.filter((part): part is Message => part.members !== undefined && isRequest(part))
      this.waiting.keepBatch(batch.answers.length > 0 ? requests.map(({ key }) => key!) : [], batch)
      if (requests.length === 0 && batch.answers.length > 0)
        this.say(`[${batch.answers.splice(0).join(',')}]`)
      const isSame = texts.every((text, index) => text === parts[index]!.text)
      if (left.length === 0 && !isSame) return undefined
      const text = `[${texts.filter(text => text !== undefined).join(',')}]\n`
      return this.server.send(isSame ? line : text, idsOf(requests))
    }
    if (!sent.some(each => each instanceof Promise)) return send(sent as (string | undefined)[])
    this.keep(this.onTheWay, Promise.all(sent).then(send))
    return undefined
  }

  // ——— server → client ———

  private async readServer(): Promise<void> {
    try {
      for await (const line of this.server.lines) await this.fromServer(line)
    } catch {
      // Its end is told by the server itself.
    }
  }

  private fromServer(line: Buffer | null): Promise<void> | undefined {
    if (line === null) {
      this.note('A message of the server was longer than 256 MB and was not passed on.')
      return undefined
    }
    // Nobody waits for anything that hooks would see: no need to look.
    if (this.waiting.isEmpty) return this.write(line)
    const read = readLine(line.toString('utf8'))
    if (read.kind === 'one') return this.giveOne(read.message, line)
    if (read.kind === 'batch') return this.giveBatch(read.parts, line)
    if (read.kind !== 'ambiguous') return this.write(line)
    this.note(`A message of the server was not passed on. ${AMBIGUOUS[1]}`)
    return undefined
  }

  private giveOne(message: Message, line: Buffer): Promise<void> | undefined {
    const beside = message.method === undefined ? this.waiting.batchAnswers(message.key) : []
    if (beside.length > 0) this.say(`[${beside.join(',')}]`)
    const give = (text: string | undefined) =>
      text === undefined ? undefined : this.write(text === message.text ? line : text)
    const given = towardClient(this, message)
    if (!(given instanceof Promise)) return give(given)
    this.keep(this.onTheWayBack, given.then(give))
    return undefined
  }

  private giveBatch(parts: readonly Part[], line: Buffer): Promise<void> | undefined {
    const messages = parts.filter((part): part is Message => part.members !== undefined)
    const beside = messages
      .filter(({ method }) => method === undefined)
      .flatMap(({ key }) => this.waiting.batchAnswers(key))
    const given = parts.map(part => (part.members ? towardClient(this, part) : part.text))
    const give = (texts: readonly (string | undefined)[]) => {
      if (beside.length === 0 && texts.every((text, index) => text === parts[index]!.text)) {
        return this.write(line)
      }
      const left = [...texts.filter(text => text !== undefined), ...beside]
      return left.length === 0 ? undefined : this.write(`[${left.join(',')}]\n`)
    }
    this.keep(this.onTheWayBack, Promise.all(given).then(give))
    return undefined
  }

  // ——— what both need ———

  open(greeting?: Message): Promise<Opened> {
    this.opened ??= openEngine(
      { ...this.options.host },
      canAsk(greeting) ? question => this.asking.ask(question) : undefined,
      this.note,
    )
    return this.opened
  }

  serverFacts(): ServerFacts {
    const { facts } = this.options
    return this.serverName === undefined ? facts : { mcp_server_name: this.serverName, ...facts }
  }

  greeted(serverName: string | undefined, version: string | undefined): void {
    this.serverName = serverName
    if (version !== undefined) this.server.greeted(version)
  }

  takesAnswer(message: Message): boolean {
    return this.asking.take(message)
  }

  aside(work: Promise<unknown>): void {
    this.keep(this.onTheWayBack, work)
  }

  private say(text: string): void {
    this.write(`${text}\n`)
  }

  private keep<T>(where: Set<Promise<unknown>>, work: Promise<T>): Promise<void> {
    const kept: Promise<void> = work.then(
      () => void where.delete(kept),
      (error: Error) => {
        where.delete(kept)
        this.note(`Something went wrong inside the gateway: ${error.message}`)
      },
    )
    where.add(kept)
    return kept
  }

  // ——— the end ———

  private async letServerGo(serverGone: Promise<unknown>): Promise<void> {
    const isUrgent = this.options.signal?.aborted === true
    this.asking.close()
    if (!isUrgent) {
      await Promise.race([Promise.all(this.onTheWay), serverGone, pause(UNFINISHED_MS, this.options.signal)])
    }
    const calls = this.waiting.calls()
    for (const { abort, sentAt } of calls) if (sentAt === undefined) abort.abort()
    const isNeeded = calls.some(({ sentAt }) => sentAt !== undefined)
    this.server.finish(this.options.signal?.aborted ? 0 : isNeeded ? UNFINISHED_MS : IDLE_MS)
    this.options.signal?.addEventListener('abort', () => this.server.finish(0))
  }

  /** Who still waits is told that nothing will come. */
  private async giveUp({ words }: Ended): Promise<void> {
    await Promise.all(this.onTheWay)
    for (const call of this.waiting.calls()) {
      this.say(goneAnswer(call.id, words))
      if (call.sentAt === undefined) continue
      const duration = Math.round(performance.now() - call.sentAt)
      const told = this.open().then(({ session }) =>
        failedCall(session, call.tool, { message: words, duration }),
      )
      this.keep(this.onTheWayBack, told)
    }
    await Promise.all(this.onTheWayBack)
  }

  private async endSession({ isCrash, words }: Ended): Promise<void> {
    const opened = await this.opened?.catch(() => undefined)
    if (!opened) return
    const isAborted = this.options.signal?.aborted === true
    await opened.session.end({
      reason: isAborted ? 'aborted' : isCrash ? 'error' : 'completed',
      ...(isCrash && !isAborted ? { error_message: words } : {}),
    })
    opened.hooks.close()
  }
}

const TOO_LONG = [CODE.request, 'It is longer than 256 MB, so hooks could not see it.'] as const
const AMBIGUOUS = [CODE.request, 'A part of it stands twice, so it could be read in two ways.'] as const
const UNREADABLE = [CODE.parse, 'It is not valid JSON and holds what may be a tool call.'] as const

const idsOf = (messages: readonly Message[]): string[] => messages.filter(isRequest).map(({ id }) => id!)

/** A client that can show a form can ask the person. */
function canAsk(greeting: Message | undefined): boolean {
  const capabilities = greeting?.params?.capabilities
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined
  if (!isObject(elicitation)) return false
  return Object.keys(elicitation).length === 0 || elicitation.form !== undefined
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    signal?.addEventListener('abort', () => resolve())
  })
