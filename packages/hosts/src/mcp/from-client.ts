// A line of the client: one message, a batch of them, or something that cannot be read. What is handed on unchanged
// keeps its bytes.

import {
  CODE,
  errorAnswer,
  isRequest,
  type Line,
  type Message,
  mayHoldCall,
  type Part,
  readLine,
} from './message.js'
import type { Ended, Server } from './server.js'
import { GREETING, type Toward, toward } from './toward-server.js'
import { type Batch, goneAnswer } from './waiting.js'

export interface Outward extends Toward {
  readonly server: Server
  /** Set when the server has ended. */
  readonly gone: Ended | undefined
  /** To the client. */
  say(text: string): void
  /** A message in the hands of hooks. */
  outward(work: Promise<unknown>): Promise<void>
}

/** Waits only where the next line must not overtake this one. */
export function fromClient(gate: Outward, line: Buffer | null): Promise<void> | undefined {
  if (line === null) return refuse(gate, TOO_LONG)
  const text = line.toString('utf8')
  const read = readLine(text)
  if (read.kind === 'ambiguous') return refuse(gate, AMBIGUOUS)
  if (read.kind === 'unreadable' && mayHoldCall(text)) return refuse(gate, UNREADABLE)
  if (gate.gone) {
    for (const { id } of requestsIn(read)) gate.say(goneAnswer(id, gate.gone.words))
    return undefined
  }
  if (read.kind === 'one') return passOne(gate, read.message, line)
  if (read.kind === 'batch') return passBatch(gate, read.parts, line)
  return gate.server.send(line, [])
}

const TOO_LONG = [CODE.request, 'It is longer than 256 MB, so hooks could not see it.'] as const
export const AMBIGUOUS = [CODE.request, 'It can be read as two different messages.'] as const
const UNREADABLE = [CODE.parse, 'It is not valid JSON and may contain a tool call.'] as const

function refuse(gate: Outward, [code, words]: readonly [number, string]): undefined {
  gate.note(`A message of the client was not passed on. ${words}`)
  gate.say(errorAnswer(undefined, code, words))
  return undefined
}

function requestsIn(read: Line): Message[] {
  const parts: readonly Part[] =
    read.kind === 'one' ? [read.message] : read.kind === 'batch' ? read.parts : []
  return requestsOf(parts)
}

const requestsOf = (parts: readonly Part[]): Message[] =>
  parts.filter((part): part is Message => part.members !== undefined && isRequest(part))

function passOne(gate: Outward, message: Message, line: Buffer): Promise<void> | undefined {
  const ids = requestsOf([message]).map(({ id }) => id!)
  const send = (text: string | undefined) =>
    text === undefined ? undefined : gate.server.send(text === message.text ? line : text, ids)
  const sent = toward(gate, message, text => gate.say(text))
  if (!(sent instanceof Promise)) return send(sent)
  const work = gate.outward(sent.then(send))
  return message.method === GREETING ? work : undefined
}

/** It stays one batch: the remaining messages are sent when hooks have judged all its calls. */
function passBatch(gate: Outward, parts: readonly Part[], line: Buffer): Promise<void> | undefined {
  const batch: Batch = { answers: [] }
  const sent = parts.map(part =>
    part.members ? toward(gate, part, text => batch.answers.push(text)) : part.text,
  )
  const send = (texts: readonly (string | undefined)[]) => {
    const left = parts.filter((_, index) => texts[index] !== undefined)
    const requests = requestsOf(left)
    if (batch.answers.length > 0) {
      if (requests.length === 0) gate.say(`[${batch.answers.splice(0).join(',')}]`)
      else
        gate.waiting.keepBatch(
          requests.map(({ key }) => key!),
          batch,
        )
    }
    const isSame = texts.every((text, index) => text === parts[index]!.text)
    if (left.length === 0 && !isSame) return undefined
    const text = `[${texts.filter(each => each !== undefined).join(',')}]\n`
    return gate.server.send(
      isSame ? line : text,
      requests.map(({ id }) => id!),
    )
  }
  if (!sent.some(each => each instanceof Promise)) return send(sent as (string | undefined)[])
  gate.outward(Promise.all(sent).then(send))
  return undefined
}
