// A client of an earlier revision in front of a server that knows only revision 2026-07-28: the handshake is answered
// here, each request gets its metadata, and questions inside results become requests of the server.

import { resultOf } from './answer.js'
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
import { LEGACY, META, modernMeta, serverInfoIn } from './modern.js'
import type { Sides, Translation } from './server.js'
import { paramText } from './tool.js'

/** Revisions that had the handshake. */
const EARLIER = ['2024-11-05', '2025-03-26', '2025-06-18', LEGACY]
/** A server that asks again and again gets no more answers. */
const MOST_ROUNDS = 32

interface Sent {
  readonly id: string
  /** With its metadata. */
  readonly text: string
  rounds: number
}

interface Question {
  readonly method: string
  readonly params?: unknown
}

/** Questions of one result that the client has not answered yet. */
interface Round {
  readonly sent: Sent
  readonly state: unknown
  readonly responses: Record<string, unknown>
  readonly open: Set<string>
}

export class ModernServer implements Translation {
  private meta: string
  private readonly sent = new Map<string, Sent>()
  private readonly rounds = new Map<string, { readonly round: Round; readonly name: string }>()
  private readonly subscribed = new Set<string>()
  private capabilities: Record<string, unknown> = {}
  private listenId: string | undefined

  constructor(
    private readonly sides: Sides,
    private readonly hello: Message,
  ) {
    this.meta = modernMeta(hello)
  }

  /** Answers `initialize` with the server's description of itself. */
  greet(found: Readonly<Record<string, unknown>>): void {
    const wanted = this.hello.params?.protocolVersion
    // Tasks of this revision are an extension with other messages.
    const { tasks: _, ...capabilities } = isObject(found.capabilities) ? found.capabilities : {}
    this.capabilities = capabilities
    this.sides.toClient(
      resultAnswer(this.hello.id!, {
        protocolVersion: EARLIER.find(version => version === wanted) ?? LEGACY,
        capabilities,
        serverInfo: serverInfoIn(found) ?? { name: 'unknown', version: '0' },
        ...(typeof found.instructions === 'string' ? { instructions: found.instructions } : {}),
      }),
    )
  }

  fromClient(message: Message): Promise<void> | undefined {
    const { method, id, key, params } = message
    if (method === undefined) {
      this.takeAnswer(message)
      return undefined
    }
    if (!isRequest(message)) {
      if (method === 'notifications/initialized') return this.listen()
      if (method === 'notifications/cancelled') {
        const given = paramText(message, 'requestId')
        if (given !== undefined) this.drop(keyOf(given))
        return this.sides.toServer(message.text.trim())
      }
      return undefined
    }
    const done = (): undefined => {
      this.sides.toClient(resultAnswer(id!, {}))
    }
    switch (method) {
      case 'ping':
        return done()
      case 'logging/setLevel':
        this.meta = withTexts(this.meta, [[META.logLevel, JSON.stringify(params?.level ?? 'info')]])
        return done()
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        if (method === 'resources/subscribe') this.subscribed.add(String(params?.uri))
        else this.subscribed.delete(String(params?.uri))
        done()
        return this.listen()
    }
    const sent = { id: id!, text: this.withMeta(message), rounds: 0 }
    this.sent.set(key!, sent)
    return this.sides.toServer(sent.text, [sent.id])
  }

  fromServer(message: Message): void {
    if (!isAnswer(message)) {
      if (message.method !== 'notifications/subscriptions/acknowledged') this.pass(message)
      return
    }
    const sent = this.sent.get(message.key!)
    if (!sent) return
    const result = resultOf(message)
    if (result?.resultType === 'input_required') this.ask(sent, result)
    else {
      this.sent.delete(message.key!)
      this.pass(message)
    }
  }

  private pass(message: Message): void {
    this.sides.toClient(message.text.trim())
  }

  private withMeta(message: Message): string {
    const given = message.params ? textOf(message.text, memberOf(message, 'params')!) : '{}'
    const own = Object.entries(JSON.parse(this.meta) as object)
    const meta = withTexts(
      isObject(message.params?._meta) ? paramText(message, '_meta')! : '{}',
      own.map(([name, value]) => [name, JSON.stringify(value)]),
    )
    return withTexts(message.text.trim(), [['params', withTexts(given, [['_meta', meta]])]])
  }

  // ——— questions of the server ———

  private ask(sent: Sent, result: Readonly<Record<string, unknown>>): void {
    const { inputRequests, requestState } = result
    const round: Round = { sent, state: requestState, responses: {}, open: new Set() }
    const questions = Object.entries(isObject(inputRequests) ? inputRequests : {})
    const isReadable = questions.every(([, each]) => isObject(each) && typeof each.method === 'string')
    if (++sent.rounds > MOST_ROUNDS) this.fail(round, 'The server asked too many questions.')
    else if (!isReadable) this.fail(round, 'The gateway cannot read a question of the server.')
    else if (questions.length === 0) this.sendAgain(round)
    else for (const [name, question] of questions) this.put(round, name, question as Question)
  }

  private put(round: Round, name: string, { method, params }: Question): void {
    const id = this.sides.newId()
    round.open.add(keyOf(id))
    this.rounds.set(keyOf(id), { round, name })
    this.sides.toClient(requestText(id, method, JSON.stringify(params ?? {})))
  }

  private takeAnswer(message: Message): void {
    const found = this.rounds.get(message.key ?? '')
    if (!found) return
    const { round, name } = found
    this.rounds.delete(message.key!)
    round.open.delete(message.key!)
    const result = resultOf(message)
    if (result) {
      round.responses[name] = result
      if (round.open.size === 0) this.sendAgain(round)
    } else this.fail(round, 'The client did not answer a question of the server.')
  }

  private sendAgain({ sent, state, responses }: Round): void {
    const params = membersOf(sent.text, firstOf(sent.text)).find(({ key }) => key === 'params')!
    const more: [string, string][] = [['inputResponses', JSON.stringify(responses)]]
    if (state !== undefined) more.push(['requestState', JSON.stringify(state)])
    // Into the request as it came first: nothing of an earlier round stays.
    this.sides.toServer(withText(sent.text, params, withTexts(textOf(sent.text, params), more)), [sent.id])
  }

  private fail({ sent, open }: Round, words: string): void {
    for (const key of open) this.rounds.delete(key)
    this.sent.delete(keyOf(sent.id))
    this.sides.toClient(errorAnswer(sent.id, CODE.inside, words))
  }

  private drop(key: string): void {
    this.sent.delete(key)
    for (const [own, { round }] of this.rounds) if (keyOf(round.sent.id) === key) this.rounds.delete(own)
  }

  // ——— changes that the server reports ———

  /** One subscription for all that the client would be notified of; the next one replaces it. */
  private listen(): Promise<void> | undefined {
    const { tools, prompts, resources } = this.capabilities
    const reports = (capability: unknown) => isObject(capability) && capability.listChanged === true
    const notifications = {
      ...(reports(tools) ? { toolsListChanged: true } : {}),
      ...(reports(prompts) ? { promptsListChanged: true } : {}),
      ...(reports(resources) ? { resourcesListChanged: true } : {}),
      ...(this.subscribed.size > 0 ? { resourceSubscriptions: [...this.subscribed] } : {}),
    }
    const earlier = this.listenId
    if (earlier !== undefined) {
      const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${earlier}}}`
      this.sides.toServer(cancel)
      this.listenId = undefined
    }
    if (Object.keys(notifications).length === 0) return undefined
    this.listenId = this.sides.newId()
    const params = `{"_meta":${this.meta},"notifications":${JSON.stringify(notifications)}}`
    return this.sides.toServer(requestText(this.listenId, 'subscriptions/listen', params))
  }
}
