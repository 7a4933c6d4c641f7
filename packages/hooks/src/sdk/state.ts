// State of a conversation, on disk. Hooks are short-lived processes, and several may run at once, so updates are
// locked.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { rewrite } from '../lock.js'

export interface ConversationState<T> {
  /** The stored value, or `initial`. */
  read(): T
  /** Changes the value under a lock, and returns the new one. */
  update(change: (old: T) => T | Promise<T>): Promise<T>
  readonly file: string
}

/** Stored below HOLDFAST_STATE (default: ~/.holdfast/state). */
export function conversationState<T>(
  payload: { readonly conversation_id?: string },
  name: string,
  initial: T,
): ConversationState<T> {
  if (!/^[\w.-]{1,80}$/.test(name) || /^\.+$/.test(name)) {
    throw new TypeError(`"${name}" is not a name of a state; use letters, digits, "-", "_" and "."`)
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

/** An unreadable state counts as missing, so that a damaged file does not fail every later hook. */
function readOr<T>(file: string, initial: T): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return structuredClone(initial)
  }
}
