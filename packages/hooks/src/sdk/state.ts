// A little memory for each conversation, on disk. Hooks are processes that live for milliseconds, often several at
// once, so what they count must stand somewhere else, and be changed by one at a time.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { rewrite } from '../lock.js'

export interface ConversationState<T> {
  /** What was last kept; `initial` when there is nothing. */
  read(): T
  /** Reads, changes and keeps, while everybody else waits. Gives back what was kept. */
  update(change: (old: T) => T | Promise<T>): Promise<T>
  /** Where it is kept. */
  readonly file: string
}

/** Kept under ~/.holdfast/state, or where HOLDFAST_STATE says. */
export function conversationState<T>(
  payload: { readonly conversation_id?: string },
  name: string,
  initial: T,
): ConversationState<T> {
  if (!/^[\w.-]{1,80}$/.test(name) || /^\.+$/.test(name)) {
    throw new TypeError(`a state is named in letters, digits, "-", "_" and "."; "${name}" is not`)
  }
  const base = process.env.HOLDFAST_STATE || join(homedir(), '.holdfast', 'state')
  const file = join(base, hash(payload.conversation_id ?? ''), `${name}.json`)
  const read = (): T => readOr(file, initial)
  return {
    file,
    read,
    async update(change) {
      let value = initial
      await rewrite(file, async () => {
        value = await change(read())
        return `${JSON.stringify(value)}\n`
      })
      return value
    },
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** A state that cannot be read is none: better to count anew than never to answer again. */
function readOr<T>(file: string, otherwise: T): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return structuredClone(otherwise)
  }
}
