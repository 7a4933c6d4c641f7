// A client and a server whose revisions of the protocol differ. Until it is known that they do, and where they do not,
// every line passes unchanged.
//
// The server decides: it rejects `initialize` of an earlier client, or `server/discover` of a client of revision
// 2026-07-28. The second happens only if the caller says that its client has no earlier revision to fall back to,
// because a client that has one loses nothing by it.

import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { resultOf } from './answer.js'
import {
  CODE,
  errorAnswer,
  isAnswer,
  isRequest,
  type Message,
  memberOf,
  readLine,
  requestText,
} from './message.js'
import { LEGACY, META, MODERN, metaOf, modernMeta } from './modern.js'
import type { Ended, Server, Sides, Translation } from './server.js'
import { LegacyServer } from './to-legacy.js'
import { ModernServer } from './to-modern.js'
import { paramText } from './tool.js'

const UNTRANSLATED = 'The gateway cannot translate this message.'
/** A server that ignores unknown methods does not answer `server/discover`. */
const DISCOVER_MS = 5000

type State =
  | { readonly kind: 'start' | 'same' }
  /** `initialize` was sent on, and may be rejected. */
  | { readonly kind: 'greeting'; readonly hello: Message }
  /** The server was asked whether it knows revision 2026-07-28; `answer` is what it gave to `hello`. */
  | { readonly kind: 'discovering'; readonly id: string; readonly hello: Message; readonly answer: Message }
  | { readonly kind: 'probing'; readonly id: string; readonly held: Buffer[]; readonly meta: string }
  | { readonly kind: 'initializing'; readonly id: string; readonly held: Buffer[] }
  | { readonly kind: 'translating'; readonly translation: Translation }

export const translated = (server: Server, forModernOnly: boolean): Server =>
  new TranslatedServer(server, forModernOnly)

class TranslatedServer implements Server, Sides {
  readonly ended: Promise<Ended>
  private state: State = { kind: 'start' }
  private readonly queue = new PassThrough({ objectMode: true, highWaterMark: 16 })
  private count = 0
  private readonly ownId = `holdfast-translate-${process.pid}-${Date.now().toString(36)}`

  constructor(
    private readonly server: Server,
    private readonly forModernOnly: boolean,
  ) {
    this.ended = server.ended
    this.readServer()
  }

  get lines(): AsyncIterable<Buffer | null> {
    return unwrapped(this.queue)
  }

  greeted(version: string): void {
    if (this.state.kind === 'same' || this.state.kind === 'start') this.server.greeted(version)
  }

  finish(patienceMs: number): void {
    this.server.finish(patienceMs)
  }

  // ——— the client's lines ———

  send(line: Buffer | string, requests: readonly string[]): Promise<void> | undefined {
    const { state } = this
    if (state.kind === 'same') return this.server.send(line, requests)
    if (state.kind === 'probing' || state.kind === 'initializing') {
      state.held.push(Buffer.from(line))
      return undefined
    }
    const read = readLine(line.toString('utf8'))
    const message = read.kind === 'one' ? read.message : undefined
    if (state.kind === 'translating') {
      const parts = read.kind === 'batch' ? read.parts : message ? [message] : []
      const works = parts.map(part => (part.members ? this.translate(state.translation, part) : undefined))
      return works.some(Boolean) ? Promise.all(works).then(() => {}) : undefined
    }
    if (state.kind === 'start') {
      const meta = message && metaOf(message) ? paramText(message, '_meta') : undefined
      if (message?.method === 'initialize' && isRequest(message)) {
        this.state = { kind: 'greeting', hello: message }
      } else if (this.forModernOnly && meta !== undefined) {
        const id = this.newId()
        const probing: State = { kind: 'probing', id, held: [Buffer.from(line)], meta }
        this.state = probing
        this.ifStillAfterLimit(probing, () => this.initialize(probing.held, meta))
        return this.toServer(requestText(id, 'server/discover', `{"_meta":${meta}}`), [id])
      } else this.state = { kind: 'same' }
    }
    return this.server.send(line, requests)
  }

  // ——— the server's lines ———

  private async readServer(): Promise<void> {
    try {
      for await (const line of this.server.lines) {
        const { state } = this
        const read = line && state.kind !== 'same' ? readLine(line.toString('utf8')) : undefined
        if (read?.kind === 'one') this.fromServer(read.message, line!)
        else if (read?.kind === 'batch' && state.kind === 'translating') {
          for (const part of read.parts) if (part.members) this.translateBack(state.translation, part)
        } else this.push(line)
        if (this.queue.writableNeedDrain) await once(this.queue, 'drain')
      }
    } catch {
      // The server itself reports its end.
    }
    // It ended without an answer to our own question; the client still waits for the one to its own.
    if (this.state.kind === 'discovering') this.pushAnswer(this.state.answer)
    this.queue.end()
  }

  private fromServer(message: Message, line: Buffer): void {
    const { state } = this
    const isFor = (id: string | undefined) => isAnswer(message) && id !== undefined && message.id === id
    switch (state.kind) {
      case 'greeting':
        if (!isAnswer(message) || message.key !== state.hello.key) this.push(line)
        else if (memberOf(message, 'result')) this.goOn(line)
        else this.discover(state.hello, message)
        break
      case 'discovering': {
        const found = isFor(state.id) ? modernServerIn(message) : undefined
        if (!isFor(state.id)) this.push(line)
        else if (found) {
          const translation = new ModernServer(this, state.hello)
          this.state = { kind: 'translating', translation }
          translation.greet(found)
        } else {
          this.state = { kind: 'same' }
          this.pushAnswer(state.answer)
        }
        break
      }
      case 'probing':
        if (!isFor(state.id)) this.push(line)
        else if (modernServerIn(message)) this.release(state.held, { kind: 'same' })
        else this.initialize(state.held, state.meta)
        break
      case 'initializing': {
        if (!isFor(state.id)) break
        const found = resultOf(message)
        if (!found) {
          this.release(state.held, { kind: 'same' })
          break
        }
        this.server.greeted(typeof found.protocolVersion === 'string' ? found.protocolVersion : LEGACY)
        this.toServer('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        this.release(state.held, { kind: 'translating', translation: new LegacyServer(this, found) })
        break
      }
      case 'translating':
        this.translateBack(state.translation, message)
        break
      default:
        this.push(line)
    }
  }

  /** What is nested too deeply to be written again must not end the connection. */
  private translate(translation: Translation, message: Message): Promise<void> | undefined {
    try {
      return translation.fromClient(message)
    } catch {
      if (isRequest(message)) this.toClient(errorAnswer(message.id, CODE.params, UNTRANSLATED))
      return undefined
    }
  }

  private translateBack(translation: Translation, message: Message): void {
    try {
      translation.fromServer(message)
    } catch {
      if (isRequest(message)) this.toServer(errorAnswer(message.id, CODE.params, UNTRANSLATED))
      if (!isAnswer(message)) return
      const read = readLine(errorAnswer(message.id, CODE.inside, UNTRANSLATED))
      if (read.kind === 'one') translation.fromServer(read.message)
    }
  }

  private ifStillAfterLimit(state: State, work: () => void): void {
    setTimeout(() => {
      if (this.state === state) work()
    }, DISCOVER_MS).unref()
  }

  private goOn(line: Buffer): void {
    this.state = { kind: 'same' }
    this.push(line)
  }

  private discover(hello: Message, answer: Message): void {
    const id = this.newId()
    const discovering: State = { kind: 'discovering', id, hello, answer }
    this.state = discovering
    this.ifStillAfterLimit(discovering, () => this.goOn(Buffer.from(`${answer.text.trim()}\n`)))
    this.toServer(requestText(id, 'server/discover', `{"_meta":${modernMeta(hello)}}`), [id])
  }

  private initialize(held: Buffer[], metaText: string): void {
    const id = this.newId()
    const meta = JSON.parse(metaText) as Record<string, unknown>
    const params = {
      protocolVersion: LEGACY,
      capabilities: meta[META.capabilities] ?? {},
      clientInfo: meta[META.clientInfo] ?? { name: 'holdfast', version: '0' },
    }
    this.state = { kind: 'initializing', id, held }
    this.toServer(requestText(id, 'initialize', JSON.stringify(params)), [id])
  }

  /** Sends what the client sent while the server was asked. */
  private release(held: readonly Buffer[], state: State): void {
    this.state = state
    for (const line of held) {
      const read = readLine(line.toString('utf8'))
      const parts = read.kind === 'one' ? [read.message] : read.kind === 'batch' ? read.parts : []
      const ids = parts.flatMap(part => (part.members && isRequest(part) ? [part.id!] : []))
      this.send(line, ids)
    }
  }

  // ——— what translations use ———

  toClient(text: string): void {
    this.push(Buffer.from(`${text}\n`))
  }

  toServer(text: string, ids: readonly string[] = []): Promise<void> | undefined {
    return this.server.send(`${text}\n`, ids)
  }

  newId(): string {
    return JSON.stringify(`${this.ownId}-${++this.count}`)
  }

  private pushAnswer(answer: Message): void {
    this.push(Buffer.from(`${answer.text.trim()}\n`))
  }

  private push(line: Buffer | null): void {
    if (this.queue.writable) this.queue.write({ line })
  }
}

/** A stream ends at null, which is a line here. */
async function* unwrapped(queue: AsyncIterable<{ line: Buffer | null }>): AsyncGenerator<Buffer | null> {
  for await (const { line } of queue) yield line
}

function modernServerIn(message: Message): Record<string, unknown> | undefined {
  const result = resultOf(message)
  const versions = result?.supportedVersions
  return Array.isArray(versions) && versions.includes(MODERN) ? result : undefined
}
