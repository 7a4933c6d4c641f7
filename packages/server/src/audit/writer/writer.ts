// What writes records in bulk, in a thread of its own with a connection of its own: reading and storing a thousand
// records must not hold up everybody else who calls.

import type { Batch, Stored } from '../batch.js'

export interface Writer {
  /** Several batches as one durable transaction, in their order: all of them, or none. */
  store(batches: readonly Batch[], now: number): Promise<readonly Stored[]>
  /** Adds what batches left behind to the sums; the number of what was added. */
  fold(): Promise<number>
  /** Makes room for the next days, and ends what another process left half-done. */
  prepare(now: number): Promise<void>
  /** Deletes what is older than is kept, one piece of it; false when nothing is left to do. */
  prune(now: number): Promise<boolean>
  close(): Promise<void>
}

export interface WriterOptions {
  readonly database: string
  /** How many wait for the file that this thread writes, too. */
  readonly waiting: Int32Array
  /** Whether every record is to be sent on (audit/otlp). */
  readonly isSentOn: boolean
}

/** What crosses over to the thread and back. */
export type Order =
  | { readonly kind: 'store'; readonly batches: readonly Batch[]; readonly now: number }
  | { readonly kind: 'fold' }
  | { readonly kind: 'prepare'; readonly now: number }
  | { readonly kind: 'prune'; readonly now: number }
  | { readonly kind: 'close' }

export interface Asked {
  readonly id: number
  readonly order: Order
}

export type Told = { readonly id: number; readonly value: unknown } | ({ readonly id: number } & Failed)

export interface Failed {
  readonly error: { readonly message: string; readonly code: string }
}
