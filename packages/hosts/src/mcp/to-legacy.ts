// A client of revision 2026-07-28 in front of a server that needs the handshake, which the gateway has made. Requests
// lose their metadata, results get what that revision requires, and questions of the server become interim results of
// a call: the client sends the call again with its answers.

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { firstOf, membersOf, textOf, withText, withTexts } from './json-text.js'
import {
  CODE,
  errorAnswer,
  isAnswer,
  isObject,
  isRequest,
  keyOf,
  type Message,
  memberOf,
  requestText,
  resultAnswer,
} from './message.js'
import { META, MODERN } from './modern.js'
import type { Sides, Translation } from './server.js'
import { CALL, paramText } from './tool.js'

/** Calls whose questions the client may still answer, and questions that wait for a call. */
const MOST = 256
/** Of the results that a client may keep, these say for how long. */
const CACHED = /^(?:[a-z/]+\/list|resources\/read)$/

/** A request at the server. */
interface Sent {
  /** As the server knows it. */
  readonly id: string
  readonly method: string
  /** Without what changes when the client sends the call again. */
  readonly params: Readonly<Record<string, unknown>>
  /** As the client awaits it; undefined while the client must send the call again. */
  clientId: string | undefined
  /** What the server answered meanwhile. */
  answer: Message | undefined
  /** The token that the client must repeat. */
  state: string | undefined
  /** Questions that the client was given, by the name that it answers under. */
  readonly open: Map<string, Message>
}

interface Listener {
  readonly id: string
  readonly wanted: Readonly<Record<string, unknown>>
}

export class LegacyServer implements Translation {
  private readonly sent = new Map<string, Sent>()
  private readonly byState = new Map<string, Sent>()
  /** No call is there to carry them. */
  private readonly questions: Message[] = []
  private readonly listeners = new Map<string, Listener>()

  constructor(
    private readonly sides: Sides,
    /** The result of `initialize`. */
    private readonly hello: Readonly<Record<string, unknown>>,
  ) {}

  // ——— the client's messages ———

  fromClient(message: Message): Promise<void> | undefined {
    const { method, id, params } = message
    if (method === 'notifications/cancelled') return this.cancel(message)
    if (method === undefined) return undefined
    if (!isRequest(message)) return this.sides.toServer(withoutMeta(message))
    if (method === 'server/discover') {
      this.sides.toClient(this.discovered(id!))
      return undefined
    }
    if (method === 'subscriptions/listen') return this.listen(message)
    const known = typeof params?.requestState === 'string' ? this.byState.get(params.requestState) : undefined
    const same = sameParams(message)
    if (known) {
      if (known.method === method && isDeepStrictEqual(known.params, same)) return this.goOn(known, message)
      // The answer would pass the hooks as that of another request.
      this.sides.toClient(errorAnswer(id, CODE.params, FOREIGN))
      return undefined
    }
    const sent: Sent = {
      id: this.sides.newId(),
      method,
      params: same,
      clientId: id!,
      answer: undefined,
      state: undefined,
      open: new Map(),
    }
    this.sent.set(keyOf(sent.id), sent)
    const sending = this.sides.toServer(withTexts(withoutMeta(message), [['id', sent.id]]), [sent.id])
    if (method === CALL && this.questions.length > 0) this.ask(sent, this.questions.splice(0))
    return sending
  }

  private discovered(id: string): string {
    const { tasks: _, ...capabilities } = isObject(this.hello.capabilities) ? this.hello.capabilities : {}
    const { serverInfo, instructions } = this.hello
    return resultAnswer(id, {
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities,
      ...(typeof instructions === 'string' ? { instructions } : {}),
      ttlMs: 0,
      cacheScope: 'private',
      ...(isObject(serverInfo) ? { _meta: { [META.serverInfo]: serverInfo } } : {}),
    })
  }

  private cancel(message: Message): Promise<void> | undefined {
    const given = paramText(message, 'requestId')
    if (given === undefined || this.listeners.delete(keyOf(given))) return undefined
    const sent = [...this.sent.values()].find(({ clientId }) => clientId && keyOf(clientId) === keyOf(given))
    if (!sent) return undefined
    this.sent.delete(keyOf(sent.id))
    const params = memberOf(message, 'params')!
    const changed = withTexts(textOf(message.text, params), [['requestId', sent.id]])
    return this.sides.toServer(withText(message.text, params, changed).trim())
  }

  /** The call came again with answers. The server continues it under its first id. */
  private goOn(sent: Sent, message: Message): undefined {
    const responses = isObject(message.params?.inputResponses) ? message.params.inputResponses : {}
    this.byState.delete(sent.state!)
    sent.clientId = message.id!
    for (const [name, question] of sent.open) {
      const response = Object.hasOwn(responses, name) ? responses[name] : undefined
      this.sides.toServer(
        isObject(response)
          ? resultAnswer(question.id!, response)
          : errorAnswer(question.id, CODE.request, NONE),
      )
    }
    sent.open.clear()
    if (sent.answer) this.give(sent, sent.answer)
    else if (this.questions.length > 0) this.ask(sent, this.questions.splice(0))
    return undefined
  }

  private listen(message: Message): undefined {
    const wanted = isObject(message.params?.notifications) ? message.params.notifications : {}
    this.listeners.set(message.key!, { id: message.id!, wanted })
    for (const uri of urisIn(wanted)) {
      const id = this.sides.newId()
      this.sides.toServer(requestText(id, 'resources/subscribe', JSON.stringify({ uri })))
    }
    this.sides.toClient(
      `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{${JSON.stringify(META.subscription)}:${message.id}},"notifications":${JSON.stringify(wanted)}}}`,
    )
    return undefined
  }

  // ——— the server's messages ———

  fromServer(message: Message): void {
    const { method, key } = message
    if (isRequest(message)) {
      if (method === 'ping') this.sides.toServer(resultAnswer(message.id!, {}))
      else this.take(message)
      return
    }
    const sent = isAnswer(message) ? this.sent.get(key!) : undefined
    if (!isAnswer(message)) this.report(message)
    else if (sent?.clientId === undefined) {
      if (sent) sent.answer = message
    } else this.give(sent, message)
  }

  private take(question: Message): void {
    const call = [...this.sent.values()].find(each => each.method === CALL && each.clientId !== undefined)
    if (call) this.ask(call, [question])
    else this.questions.push(question)
    if (this.questions.length > MOST) this.refuse(this.questions.shift()!)
  }

  private give(sent: Sent, message: Message): void {
    this.sent.delete(keyOf(sent.id))
    const result = memberOf(message, 'result')
    const text = result
      ? withText(message.text, result, completed(sent.method, textOf(message.text, result)))
      : message.text
    this.sides.toClient(withTexts(text.trim(), [['id', sent.clientId!]]))
  }

  private ask(sent: Sent, questions: readonly Message[]): void {
    const state = randomUUID()
    const inputRequests = questions.map(({ method, params }, index) => [
      index,
      { method, ...(params ? { params: formOf(method!, params) } : {}) },
    ])
    const text = resultAnswer(sent.clientId!, {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(inputRequests),
      requestState: state,
    })
    for (const [index, question] of questions.entries()) sent.open.set(String(index), question)
    sent.clientId = undefined
    sent.state = state
    this.byState.set(state, sent)
    if (this.byState.size > MOST) this.giveUp(this.byState.values().next().value!)
    this.sides.toClient(text)
  }

  /** The client did not come back. */
  private giveUp(sent: Sent): void {
    this.byState.delete(sent.state!)
    this.sent.delete(keyOf(sent.id))
    for (const question of sent.open.values()) this.refuse(question)
  }

  private refuse(question: Message): void {
    this.sides.toServer(errorAnswer(question.id, CODE.request, NONE))
  }

  /** A notification goes to those that asked for its kind; what belongs to a request, to everybody. */
  private report(message: Message): void {
    const wants = WANTED[message.method ?? '']
    if (wants === undefined) {
      if (message.method !== 'notifications/cancelled') this.sides.toClient(message.text.trim())
      return
    }
    for (const { id, wanted } of this.listeners.values()) {
      if (!wants(wanted, message)) continue
      const params = { ...message.params, _meta: { ...metaIn(message), [META.subscription]: JSON.parse(id) } }
      this.sides.toClient(withTexts(message.text.trim(), [['params', JSON.stringify(params)]]))
    }
  }
}

function sameParams({ params }: Message): Readonly<Record<string, unknown>> {
  const { _meta, requestState: _, inputResponses: __, ...same } = params ?? {}
  return same
}

const FOREIGN = 'The requestState is that of another request. Send this one again without it.'
const NONE = 'The client gave no answer.'

const WANTED: Readonly<
  Record<string, (wanted: Readonly<Record<string, unknown>>, message: Message) => boolean>
> = {
  'notifications/tools/list_changed': ({ toolsListChanged }) => toolsListChanged === true,
  'notifications/prompts/list_changed': ({ promptsListChanged }) => promptsListChanged === true,
  'notifications/resources/list_changed': ({ resourcesListChanged }) => resourcesListChanged === true,
  'notifications/resources/updated': (wanted, { params }) => urisIn(wanted).includes(String(params?.uri)),
}

const urisIn = ({ resourceSubscriptions }: Readonly<Record<string, unknown>>): string[] =>
  Array.isArray(resourceSubscriptions) ? resourceSubscriptions.map(String) : []

const metaIn = ({ params }: Message): Readonly<Record<string, unknown>> =>
  isObject(params?._meta) ? params._meta : {}

/** The fields of a question that revision 2026-07-28 has. */
function formOf(
  method: string,
  { _meta, task: _, elicitationId: __, ...params }: Readonly<Record<string, unknown>>,
) {
  return method === 'elicitation/create' && params.mode === undefined ? { mode: 'form', ...params } : params
}

/** Without what only revision 2026-07-28 has: a server behind HTTP is reached the way its revision needs. */
function withoutMeta(message: Message): string {
  const text = message.text.trim()
  const params = memberOf(message, 'params')
  if (!params || message.params?._meta === undefined) return text
  const own = new Set<string>(Object.values(META))
  const rest = Object.fromEntries(Object.entries(metaIn(message)).filter(([name]) => !own.has(name)))
  const changed = withTexts(textOf(message.text, params), [['_meta', JSON.stringify(rest)]])
  return withText(message.text, params, changed).trim()
}

/** Results carry their type, and lists how long they may be kept. */
function completed(method: string, result: string): string {
  if (result[firstOf(result)] !== '{') return result
  const members = membersOf(result, firstOf(result))
  const added: [string, string][] = [['resultType', '"complete"']]
  if (CACHED.test(method)) added.push(['ttlMs', '0'], ['cacheScope', '"private"'])
  return withTexts(
    result,
    added.filter(([name]) => !members.some(({ key }) => key === name)),
  )
}
