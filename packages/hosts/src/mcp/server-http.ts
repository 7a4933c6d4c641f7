// A server at an address: each line is posted, answers come as JSON or as a stream of events, and one more stream
// brings what the server says by itself ("Streamable HTTP").

import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { bodyOf, exchangesWith, refusalWords, typeOf } from './http-exchange.js'
import { membersOf, textOf, withTexts } from './json-text.js'
import { ParamHeaders, standardHeaders } from './mcp-headers.js'
import { isObject, keyOf, type Message, memberOf, readLine } from './message.js'
import { metaOf } from './modern.js'
import type { Ended, Note, Server } from './server.js'
import { eventsOf } from './sse.js'
import { paramText } from './tool.js'
import { goneAnswer } from './waiting.js'
import { writerOf } from './writer.js'

export interface HttpOptions {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly note?: Note
  /** The server did not accept a request. Its answer is given to the client as an error as well. */
  readonly onRefusal?: (id: string, refusal: Refusal) => void
}

export interface Refusal {
  readonly status: number
  /** What the server says about signing in. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'
const POSTED = { 'content-type': JSON_TYPE, accept: `${JSON_TYPE}, ${STREAM_TYPE}` }
const GOODBYE_MS = 1000
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 30_000
/** A stream that breaks again and again without bringing anything is given up. */
const FRUITLESS_TRIES = 5

export const reachServer = (options: HttpOptions): Server => new HttpServer(options)

class HttpServer implements Server {
  readonly lines = new PassThrough({ objectMode: true, highWaterMark: 16 })
  readonly ended: Promise<Ended>
  private readonly push = writerOf(this.lines)
  private readonly exchange
  private readonly stop = new AbortController()
  private readonly note: Note
  private readonly answers = new Set<Promise<void>>()
  private readonly paramHeaders = new ParamHeaders()
  private learning: Promise<void> | undefined
  /** Modern requests without an answer. There the end of the exchange is what cancels. */
  private readonly exchanges = new Map<string, AbortController>()
  private end!: (ended: Ended) => void
  private sessionId: string | undefined
  private version: string | undefined
  private isListening = false
  private isFirst = true
  private goodbye: Promise<void> | undefined

  constructor(private readonly options: HttpOptions) {
    this.note = options.note ?? (() => {})
    this.exchange = exchangesWith(new URL(options.url))
    this.ended = new Promise(resolve => {
      this.end = resolve
    })
  }

  send(line: Buffer | string, requests: readonly string[]): Promise<void> | undefined {
    const read = readLine(line.toString('utf8'))
    const message = read.kind === 'one' ? read.message : undefined
    if (message && metaOf(message)) {
      this.keep(this.postModern(line, message))
      return undefined
    }
    if (message?.method === 'notifications/cancelled' && this.cancel(message)) return undefined
    const work = this.post(line, requests)
    const mustWait = this.isFirst || requests.length === 0
    this.isFirst = false
    // The first answer brings the session; what asks for no answer must have arrived before the next is sent.
    return mustWait ? work : undefined
  }

  greeted(version: string): void {
    this.version = version
  }

  finish(patienceMs: number): void {
    const hurry = patienceMs <= 0 ? Promise.resolve() : pause(patienceMs, this.stop.signal)
    const settled = Promise.race([Promise.all(this.answers), hurry])
    this.goodbye ??= settled.then(() => this.sayGoodbye())
    if (patienceMs <= 0) this.stop.abort()
  }

  private async post(line: Buffer | string, requests: readonly string[]): Promise<void> {
    const isGreeted = this.version !== undefined
    try {
      const response = await this.ask('POST', POSTED, line)
      const session = response.headers['mcp-session-id']
      if (typeof session === 'string') this.sessionId ??= session
      const work = this.readAnswer(response, new Set(requests))
      if (requests.length === 0) await work
      else this.keep(work)
      if (requests.length === 0 && isGreeted && !this.isListening) this.listen()
    } catch (error) {
      await this.fail(new Set(requests), `The MCP server could not be reached: ${wordsOf(error)}`)
    }
  }

  /** Each request of the newest revision is complete in itself: no session, no second stream, nothing to take up. */
  private async postModern(line: Buffer | string, message: Message): Promise<void> {
    const { key, id, method } = message
    const open = new Set(id === undefined ? [] : [id])
    const abort = new AbortController()
    const stop = () => abort.abort()
    this.stop.signal.addEventListener('abort', stop)
    if (key !== undefined) this.exchanges.set(key, abort)
    try {
      if (method === 'tools/call' && !this.paramHeaders.hasLearned) {
        // Without the list, the call goes out without such headers, and the server may refuse it.
        this.learning ??= this.learnTools(message).catch(() => {})
        await this.learning
      }
      const response = await this.exchange.ask({
        method: 'POST',
        signal: abort.signal,
        headers: {
          ...this.options.headers,
          ...POSTED,
          ...standardHeaders(message),
          ...this.paramHeaders.of(message),
        },
        body: line,
      })
      const status = response.statusCode ?? 0
      if (status < 300) {
        await this.readAnswer(response, open, method === 'tools/list')
        return
      }
      const body = await bodyOf(response)
      this.reportRefusal(response, body, open)
      const error = id === undefined ? undefined : errorIn(body, id)
      if (error === undefined) await this.fail(open, refusalWords(response, body, false))
      else await this.push(Buffer.from(error))
    } catch (error) {
      if (!abort.signal.aborted) {
        await this.fail(open, `The MCP server could not be reached: ${wordsOf(error)}`)
      }
    } finally {
      this.stop.signal.removeEventListener('abort', stop)
      if (key !== undefined) this.exchanges.delete(key)
    }
  }

  /** Only what is about signing in: an error of the server goes to the client as it is. */
  private reportRefusal(response: IncomingMessage, body: string | null, open: Set<string>): void {
    const { statusCode: status = 0, headers } = response
    if (status !== 401 && status !== 403) return
    const { 'www-authenticate': challenge, 'content-type': type } = headers
    const kept = {
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...(type === undefined ? {} : { 'content-type': type }),
    }
    for (const id of open) this.options.onRefusal?.(id, { status, headers: kept, body })
  }

  /** The headers of a call depend on what the server says of its tools. */
  private async learnTools(message: Message): Promise<void> {
    const meta = paramText(message, '_meta')
    const text = `{"jsonrpc":"2.0","id":"holdfast-tools","method":"tools/list","params":{"_meta":${meta}}}`
    const read = readLine(text)
    if (read.kind !== 'one') return
    const response = await this.exchange.ask({
      method: 'POST',
      signal: this.stop.signal,
      headers: { ...this.options.headers, ...POSTED, ...standardHeaders(read.message) },
      body: text,
    })
    if (typeOf(response) !== STREAM_TYPE)
      return this.paramHeaders.learn(JSON.parse((await bodyOf(response)) ?? ''))
    for await (const { data } of eventsOf(response)) {
      const value: unknown = JSON.parse(data ?? 'null')
      if (isObject(value) && value.result !== undefined) this.paramHeaders.learn(value)
    }
  }

  /** Whether the cancelled request was a modern one. */
  private cancel(message: Message): boolean {
    const params = memberOf(message, 'params')
    const id = params && membersOf(message.text, params.from).findLast(({ key }) => key === 'requestId')
    const exchange = id && this.exchanges.get(keyOf(textOf(message.text, id)))
    exchange?.abort()
    return exchange !== undefined
  }

  private ask(method: 'POST' | 'GET' | 'DELETE', headers: Record<string, string>, body?: Buffer | string) {
    return this.exchange.ask({
      method,
      signal: method === 'DELETE' ? AbortSignal.timeout(GOODBYE_MS) : this.stop.signal,
      headers: {
        ...this.options.headers,
        ...headers,
        ...(this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }),
        ...(this.version === undefined ? {} : { 'mcp-protocol-version': this.version }),
      },
      ...(body === undefined ? {} : { body }),
    })
  }

  /** `open` are the ids that still await their answer. */
  private async readAnswer(response: IncomingMessage, open: Set<string>, hasTools = false): Promise<void> {
    const status = response.statusCode ?? 0
    try {
      if (status >= 300) {
        const body = await bodyOf(response)
        this.reportRefusal(response, body, open)
        return await this.fail(open, refusalWords(response, body, this.sessionId !== undefined))
      }
      if (typeOf(response) === STREAM_TYPE) return await this.readStream(response, open, hasTools)
      const body = await bodyOf(response)
      if (body === null) this.note('A response of the server was longer than 256 MB and was not passed on.')
      else if (body.trim() !== '') await this.give(body, open, hasTools)
      if (open.size > 0) await this.fail(open, 'The MCP server sent no response.')
    } catch (error) {
      await this.fail(open, `The connection to the MCP server broke: ${wordsOf(error)}`)
    }
  }

  /** A stream that ends before the answer is taken up again where the server offers that. */
  private async readStream(first: IncomingMessage, open: Set<string>, hasTools: boolean): Promise<void> {
    let response: IncomingMessage | undefined = first
    let lastId: string | undefined
    let retryMs = FIRST_RETRY_MS
    for (let tries = 0; response && tries < FRUITLESS_TRIES; tries++) {
      try {
        for await (const event of eventsOf(response)) {
          lastId = event.id ?? lastId
          retryMs = event.retryMs ?? retryMs
          if (event.data === null) continue
          tries = 0
          await this.give(event.data, open, hasTools)
        }
      } catch (error) {
        if (lastId === undefined) throw error
      }
      if (open.size === 0 || lastId === undefined || this.isFirst || this.stop.signal.aborted) break
      await pause(retryMs, this.stop.signal)
      response = await this.stream(lastId)
    }
    if (open.size > 0) await this.fail(open, 'The MCP server ended its response before it was complete.')
  }

  /** Undefined when the server has no such stream. */
  private async stream(lastId: string | undefined): Promise<IncomingMessage | undefined> {
    const after: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
    const response = await this.ask('GET', { accept: STREAM_TYPE, ...after })
    if (response.statusCode === 200 && typeOf(response) === STREAM_TYPE) return response
    response.resume()
    return undefined
  }

  /** What the server says by itself. */
  private async listen(): Promise<void> {
    this.isListening = true
    let lastId: string | undefined
    let retryMs = FIRST_RETRY_MS
    while (!this.stop.signal.aborted) {
      try {
        const response = await this.stream(lastId)
        if (!response) return
        for await (const event of eventsOf(response)) {
          lastId = event.id ?? lastId
          retryMs = event.retryMs ?? FIRST_RETRY_MS
          if (event.data !== null) await this.give(event.data, new Set())
        }
      } catch {
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
      }
      await pause(retryMs, this.stop.signal)
    }
  }

  /** A message is one line; a newline inside it can only be between its parts. */
  private async give(message: string, open: Set<string>, hasTools = false): Promise<void> {
    const line = `${message.trim().replace(/[\r\n]+/g, ' ')}\n`
    if (open.size > 0) {
      const read = readLine(line)
      const parts = read.kind === 'one' ? [read.message] : read.kind === 'batch' ? read.parts : []
      const answered = new Set(parts.map(part => (part.members && part.method === undefined ? part.key : '')))
      for (const id of open) if (answered.has(keyOf(id))) open.delete(id)
      if (hasTools && open.size === 0) this.paramHeaders.learn(JSON.parse(line))
    }
    await this.push(Buffer.from(line))
  }

  private async fail(open: Set<string>, words: string): Promise<void> {
    if (this.stop.signal.aborted) return
    for (const id of open) await this.push(Buffer.from(`${goneAnswer(id, words)}\n`))
    this.note(words)
    open.clear()
  }

  private keep(work: Promise<void>): void {
    const kept = work.finally(() => this.answers.delete(kept))
    this.answers.add(kept)
  }

  private async sayGoodbye(): Promise<void> {
    if (this.sessionId !== undefined) {
      await this.ask('DELETE', {}).then(
        response => response.resume(),
        () => {},
      )
    }
    this.stop.abort()
    this.exchange.close()
    this.lines.end()
    this.end({ code: 0, words: 'The connection to the MCP server was closed.', isCrash: false })
  }
}

/** The error of a refusal as the answer to the request; undefined when there is none in the body. */
function errorIn(body: string | null, id: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    if (!isObject(value) || !isObject(value.error) || typeof value.error.code !== 'number') return undefined
    return `${withTexts(body!, [['id', id]]).replace(/[\r\n]+/g, ' ')}\n`
  } catch {
    return undefined
  }
}

const wordsOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'no reason was given'
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const go = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', go)
      resolve()
    }
    const timer = setTimeout(go, ms)
    signal.addEventListener('abort', go)
  })
