// A line of the server. While no request is open, it is handed on unread.

import { AMBIGUOUS } from './from-client.js'
import { type Message, mayHoldAnswer, type Part, readLine } from './message.js'
import { type Back, towardClient } from './toward-client.js'
import type { Write } from './writer.js'

export interface Homeward extends Back {
  /** To the client. */
  readonly write: Write
  say(text: string): void
  /** An answer in the hands of hooks. */
  homeward(work: Promise<unknown>): void
}

export function fromServer(back: Homeward, line: Buffer | null): Promise<void> | undefined {
  if (line === null) return drop(back, 'It is longer than 256 MB, so hooks could not see it.')
  if (back.waiting.isEmpty) return back.write(line)
  const text = line.toString('utf8')
  const read = readLine(text)
  if (read.kind === 'unreadable' && mayHoldAnswer(text)) return drop(back, UNREADABLE)
  if (read.kind === 'one') return giveOne(back, read.message, line)
  if (read.kind === 'batch') return giveBatch(back, read.parts, line)
  return read.kind === 'ambiguous' ? drop(back, AMBIGUOUS[1]) : back.write(line)
}

const UNREADABLE = 'It is not valid JSON and may contain an answer.'

function drop(back: Homeward, words: string): undefined {
  back.note(`A message of the server was not passed on. ${words}`)
  return undefined
}

function giveOne(back: Homeward, message: Message, line: Buffer): Promise<void> | undefined {
  const beside = message.method === undefined ? back.waiting.batchAnswers(message.key) : []
  if (beside.length > 0) back.say(`[${beside.join(',')}]`)
  const give = (text: string | undefined) =>
    text === undefined ? undefined : back.write(text === message.text ? line : text)
  const given = towardClient(back, message)
  if (!(given instanceof Promise)) return give(given)
  back.homeward(given.then(give))
  return undefined
}

function giveBatch(back: Homeward, parts: readonly Part[], line: Buffer): Promise<void> | undefined {
  const beside = parts.flatMap(part =>
    part.members && part.method === undefined ? back.waiting.batchAnswers(part.key) : [],
  )
  const given = parts.map(part => (part.members ? towardClient(back, part) : part.text))
  const give = (texts: readonly (string | undefined)[]) => {
    const isSame = beside.length === 0 && texts.every((text, index) => text === parts[index]!.text)
    if (isSame) return back.write(line)
    const left = [...texts.filter(text => text !== undefined), ...beside]
    return left.length === 0 ? undefined : back.write(`[${left.join(',')}]\n`)
  }
  if (!given.some(each => each instanceof Promise)) return give(given as (string | undefined)[])
  back.homeward(Promise.all(given).then(give))
  return undefined
}
