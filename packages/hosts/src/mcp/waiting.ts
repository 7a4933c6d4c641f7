// Who waits for what: calls in the hands of hooks, calls at the server, and the greeting.

import type { Tool } from './call.js'
import { CODE, errorAnswer } from './message.js'

export interface Call {
  /** As written; undefined when no answer is awaited. */
  readonly id: string | undefined
  /** The client asked for a task: the first answer is a receipt, and the result is fetched later. */
  readonly isTask: boolean
  readonly abort: AbortController
  tool: Tool
  /** When it was sent on; undefined while it is in the hands of hooks. */
  sentAt: number | undefined
}

export type Waiting =
  | { readonly kind: 'greeting' }
  | { readonly kind: 'call'; readonly call: Call }
  /** The client has given up; a late answer is for nobody. */
  | { readonly kind: 'cancelled' }

/** Some requests of a batch were answered here; the client gets those answers together with the server's. */
export interface Batch {
  readonly answers: string[]
}

export class WaitingRoom {
  private readonly byKey = new Map<string, Waiting>()
  private readonly tasks = new Map<string, Call>()
  private readonly batches = new Map<string, Batch>()

  get isEmpty(): boolean {
    return this.byKey.size === 0 && this.batches.size === 0
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

  /** For as long as the connection lasts: the client may ask for the result again, also after an error. */
  keepTask(taskId: string, call: Call): void {
    this.tasks.set(taskId, call)
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
