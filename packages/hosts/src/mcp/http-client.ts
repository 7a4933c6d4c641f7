// A client behind HTTP, as the lines that a gateway reads and writes. Each request is an exchange of its own: its answer
// ends it, and what belongs to it before goes to the same stream.

import type { ServerResponse } from 'node:http'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { membersOf, textOf, withText, withTexts } from './json-text.js'
import { linesOf } from './lines.js'
import { ParamHeaders } from './mcp-headers.js'
import { isObject, isRequest, keyOf, type Message, memberOf, readLine } from './message.js'
import type { Refusal } from './server-http.js'
import { paramText } from './tool.js'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
/** Messages of the server without a request, kept until the client reads them. */
const MOST_UNREAD = 1000

interface Exchange {
  readonly response: ServerResponse
  /** As the client wrote them. */
  readonly id: string
  readonly progressToken: string | undefined
  readonly isList: boolean
  isStream: boolean
  refusal: Refusal | undefined
}

export class HttpClient {
  readonly input: Readable & PassThrough = new PassThrough()
  readonly output: Writable
  private readonly exchanges = new Map<string, Exchange>()
  private readonly unread: string[] = []
  private events: ServerResponse | undefined
  private count = 0
  usedAt = Date.now()
  /** Arguments that clients repeat in headers, as far as they asked for the list of tools. */
  readonly params = new ParamHeaders()

  /** `isShared`: several clients with ids of their own, which get new ones on the way to the server. */
  constructor(
    private readonly isShared: boolean,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    const lines = new PassThrough()
    this.output = lines
    void this.route(linesOf(lines))
  }

  get isIdle(): boolean {
    return this.exchanges.size === 0 && this.events === undefined
  }

  /** False when a request with this id is not answered yet. */
  send(message: Message, response: ServerResponse): boolean {
    this.usedAt = Date.now()
    if (!isRequest(message)) {
      this.write(message.text)
      response.writeHead(202, this.headers).end()
      return true
    }
    const own = this.isShared ? String(++this.count) : message.id!
    const key = keyOf(own)
    if (this.exchanges.has(key)) return false
    const meta = paramText(message, '_meta')
    const token = meta && membersOf(meta, 0).findLast(({ key }) => key === 'progressToken')
    const progressToken = this.isShared && token ? textOf(meta, token) : undefined
    const exchange: Exchange = {
      response,
      id: message.id!,
      progressToken,
      isList: message.method === 'tools/list',
      isStream: false,
      refusal: undefined,
    }
    this.exchanges.set(key, exchange)
    response.once('close', () => {
      if (!this.exchanges.delete(key) || !this.isShared) return
      this.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${own}}}`)
    })
    this.write(this.isShared ? renamed(message, own, progressToken !== undefined) : message.text)
    if (message.method === 'subscriptions/listen') this.begin(exchange)
    return true
  }

  /** The stream for what the server says by itself. One at a time. */
  listen(response: ServerResponse): void {
    this.usedAt = Date.now()
    this.events?.end()
    this.events = response
    response.writeHead(200, { ...STREAM, ...this.headers }).flushHeaders()
    response.once('close', () => {
      if (this.events === response) this.events = undefined
    })
    for (const text of this.unread.splice(0)) response.write(eventOf(text))
  }

  /** The server did not accept the request: the client gets the same status, and what it says about signing in. */
  refuse(id: string, refusal: Refusal): void {
    const exchange = this.exchanges.get(keyOf(id))
    if (exchange) exchange.refusal = refusal
  }

  end(): void {
    this.input.end()
    this.events?.end()
    for (const { response } of this.exchanges.values()) response.end()
  }

  private write(text: string): void {
    this.input.write(`${text.trim().replace(/[\r\n]+/g, ' ')}\n`)
  }

  private async route(lines: AsyncIterable<Buffer | null>): Promise<void> {
    for await (const line of lines) {
      if (line === null) continue
      const text = line.toString('utf8').trimEnd()
      const read = readLine(text)
      const parts = read.kind === 'one' ? [read.message] : read.kind === 'batch' ? read.parts : []
      for (const part of parts) if (part.members) this.give(part)
    }
    this.end()
  }

  private give(message: Message): void {
    if (message.method === undefined) {
      this.answer(message.key, message.text)
      return
    }
    const owner = this.ownerOf(message)
    if (owner) {
      this.begin(owner.exchange)
      owner.exchange.response.write(eventOf(owner.text))
      return
    }
    if (this.isShared) return
    const open = [...this.exchanges.values()].at(-1)
    if (!this.events && open) this.begin(open)
    const stream = this.events ?? open?.response
    if (stream) stream.write(eventOf(message.text))
    else if (this.unread.push(message.text) > MOST_UNREAD) this.unread.shift()
  }

  /** The exchange that a notification is about, and the notification in the client's words. */
  private ownerOf(message: Message): { exchange: Exchange; text: string } | undefined {
    const place = memberOf(message, 'params')
    if (!place || !this.isShared) return undefined
    const { progressToken, _meta } = message.params ?? {}
    const subscription = isObject(_meta) ? _meta[SUBSCRIPTION] : undefined
    const exchange = this.exchanges.get(String(subscription ?? progressToken))
    if (!exchange) return undefined
    const params = textOf(message.text, place)
    const own =
      subscription === undefined
        ? withTexts(params, [['progressToken', exchange.progressToken ?? exchange.id]])
        : withTexts(params, [
            ['_meta', withTexts(paramText(message, '_meta')!, [[SUBSCRIPTION, exchange.id]])],
          ])
    return { exchange, text: withText(message.text, place, own) }
  }

  private begin(exchange: Exchange): void {
    if (exchange.isStream) return
    exchange.isStream = true
    exchange.response.writeHead(200, { ...STREAM, ...this.headers }).flushHeaders()
  }

  private answer(key: string | undefined, text: string): void {
    const exchange = key === undefined ? undefined : this.exchanges.get(key)
    if (!exchange) return
    this.exchanges.delete(key!)
    this.usedAt = Date.now()
    const { response, id, isList, isStream, refusal } = exchange
    if (isList) this.params.learn(JSON.parse(text))
    const own = this.isShared ? withTexts(text, [['id', id]]) : text
    if (isStream) response.end(eventOf(own))
    else if (refusal) response.writeHead(refusal.status, { ...refusal.headers }).end(refusal.body ?? '')
    else {
      const status = this.isShared ? statusOf(own) : 200
      response.writeHead(status, { 'content-type': 'application/json', ...this.headers }).end(own)
    }
  }
}

const STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

const eventOf = (text: string): string => `event: message\ndata: ${text}\n\n`

function renamed(message: Message, id: string, hasToken: boolean): string {
  if (!hasToken) return withTexts(message.text, [['id', id]])
  const meta = withTexts(paramText(message, '_meta')!, [['progressToken', id]])
  const params = withTexts(textOf(message.text, memberOf(message, 'params')!), [['_meta', meta]])
  return withTexts(message.text, [
    ['id', id],
    ['params', params],
  ])
}

/** Revision 2026-07-28 gives some errors a status of their own. */
function statusOf(text: string): number {
  const value: unknown = JSON.parse(text)
  const code = isObject(value) && isObject(value.error) ? value.error.code : undefined
  if (code === -32601) return 404
  return code === -32020 || code === -32021 || code === -32022 ? 400 : 200
}
