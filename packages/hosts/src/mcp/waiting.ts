// Which request awaits what: calls in the hands of hooks or at the server, and other requests whose answers matter.

import type { Passed, Tool } from './call.js'
import { isSameCall } from './held.js'
import { CODE, errorAnswer } from './message.js'

/** One logical call: a modern client may send several requests for it, one after the other. */
export interface Call {
  /** Of its current request, as written; undefined when no answer is awaited. */
  id: string | undefined
  readonly isModern: boolean
  /** The first answer may be a receipt, and the result is fetched later. */
  readonly isTask: boolean
  readonly abort: AbortController
  /** As the client wrote it. */
  readonly given: Tool
  /** As the hooks want it. */
  tool: Tool
  /** When it was sent on; undefined while it is in the hands of hooks. */
  sentAt: number | undefined
  /** What the hooks decided about it. */
  judged: Promise<Passed> | undefined
  /** Answers its current request with a question to the user. */
  ask: ((text: string) => void) | undefined
  /** The result of its task that hooks have seen, and what they made of it. */
  seen: { readonly result: string; readonly changed: Promise<string> } | undefined
}

export type Waiting =
  | { readonly kind: 'greeting' | 'list' | 'prompt' | 'other' }
  | { readonly kind: 'call'; readonly call: Call }
  /** The result of a task is the answer, or inside it. */
  | { readonly kind: 'task'; readonly call: Call; readonly isNested: boolean }
  | { readonly kind: 'resource'; readonly uri: string }
  /** A request of the gateway's own, for the server's name. */
  | { readonly kind: 'own'; done(): void }
  /** The client has given up; a late answer is for nobody. */
  | { readonly kind: 'cancelled' }

/** Some requests of a batch were answered here; the client gets those answers together with the server's. */
export interface Batch {
  readonly answers: string[]
}

/** Calls for which a server wants input first, kept until the client sends them again. */
const MOST_INTERIM = 256
/** Tasks outlive the call, but not without limit. */
const MOST_TASKS = 10_000

export class WaitingRoom {
  private readonly byKey = new Map<string, Waiting>()
  private readonly tasks = new Map<string, Call>()
  private readonly batches = new Map<string, Batch>()
  private readonly interim: { readonly state: unknown; readonly call: Call }[] = []

  get isEmpty(): boolean {
    return this.byKey.size === 0 && this.batches.size === 0 && this.tasks.size === 0
  }

  has(key: string): boolean {
    return this.byKey.has(key)
  }

  set(key: string | undefined, waiting: Waiting): void {
    if (key !== undefined) this.byKey.set(key, waiting)
  }

  peek(key: string): Waiting | undefined {
    return this.byKey.get(key)
  }

  take(key: string | undefined): Waiting | undefined {
    if (key === undefined) return undefined
    const found = this.byKey.get(key)
    this.byKey.delete(key)
    return found
  }

  calls(): Call[] {
    return [...this.byKey.values()].flatMap(waiting => (waiting.kind === 'call' ? [waiting.call] : []))
  }

  /** The next request for this call needs no new decision, if it is the same call. It counts once. */
  keepInterim(state: unknown, call: Call): void {
    this.interim.push({ state, call })
    if (this.interim.length > MOST_INTERIM) this.interim.shift()
  }

  takeInterim(state: unknown, tool: Tool): Call | undefined {
    const index = this.interim.findIndex(each => each.state === state && isSameCall(each.call.given, tool))
    return index === -1 ? undefined : this.interim.splice(index, 1)[0]!.call
  }

  /** The client may ask for the result again, also after an error. */
  keepTask(taskId: string, call: Call): void {
    this.tasks.set(taskId, call)
    if (this.tasks.size > MOST_TASKS) this.tasks.delete(this.tasks.keys().next().value!)
  }

  taskCall(taskId: unknown): Call | undefined {
    return typeof taskId === 'string' ? this.tasks.get(taskId) : undefined
  }

  keepBatch(keys: readonly string[], batch: Batch): void {
    for (const key of keys) this.batches.set(key, batch)
  }

  /** The answers that go out with the first answer of the server to the same batch. */
  batchAnswers(key: string | undefined): string[] {
    if (key === undefined) return []
    const batch = this.batches.get(key)
    this.batches.delete(key)
    return batch?.answers.splice(0) ?? []
  }
}

export const goneAnswer = (id: string | undefined, words: string): string => errorAnswer(id, CODE.gone, words)
