// Writes records in bulk, in a thread with its own connection: parsing and storing a thousand records must not block
// other callers.

import type { Batch, Stored } from '../../records/batch.js'

export interface Writer {
  /** Several batches as one durable transaction, in their order: all of them, or none. */
  store(batches: readonly Batch[], now: number): Promise<readonly Stored[]>
  /** Adds the remaining counts of batches to the sums; returns how many were added. */
  fold(): Promise<number>
  /** Creates partitions for the next days, and finishes interrupted work of another process. */
  prepare(now: number): Promise<void>
  /** Deletes one part of what is older than the retention; false if nothing is left. */
  prune(now: number): Promise<boolean>
  close(): Promise<void>
}

export interface WriterOptions {
  readonly database: string
  /** The number of other writers that wait for the file. */
  readonly waiting: Int32Array
  /** Whether every record is exported (audit/otlp). */
  readonly isSentOn: boolean
}

/** The messages to the thread and back. */
export type Order =
  | { readonly kind: 'store'; readonly batches: readonly Batch[]; readonly now: number }
  | { readonly kind: 'fold' }
  | { readonly kind: 'prepare'; readonly now: number }
  | { readonly kind: 'prune'; readonly now: number }
  | { readonly kind: 'close' }

export interface WriterRequest {
  readonly id: number
  readonly order: Order
}

export type Told = { readonly id: number; readonly value: unknown } | ({ readonly id: number } & Failed)

export interface Failed {
  readonly error: { readonly message: string; readonly code: string }
}
