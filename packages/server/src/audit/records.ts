// The store of records: one thread that writes them, and a second connection for long queries. Both start on first use.

import type { Batch, Stored } from '../records/batch.js'
import { RequestError } from '../request-error.js'
import type { Db, Store } from '../store/open.js'
import { openReader } from '../store/reader.js'
import { openThread } from '../store/thread.js'
import type { Failed, Order } from '../store/writer/writer.js'
import type { Log } from '../team.js'
import { watchDisk } from './disk.js'

export interface Records {
  /** False while more waits than memory should hold. */
  hasRoomFor(batch: Batch): boolean
  /** True while the disk has no space for records. */
  isDiskFull(): boolean
  /** Resolves when the records are durable. The buffer of the batch is transferred. */
  store(batch: Batch, now: number): Promise<Stored>
  fold(): Promise<number>
  prepare(now: number): Promise<void>
  prune(now: number): Promise<boolean>
  /** For queries over many rows: it blocks no other caller, and each has a time limit. */
  readonly reader: Db
  /** Lets running work end. */
  close(): Promise<void>
}

export interface RecordsOptions {
  readonly isSentOn: boolean
  readonly log: Log
}

/** The most that one transaction holds, if it is more than one batch. */
const MOST_ROWS = 4000
const MOST_BYTES = 8 * 1024 * 1024
/** The most that waits before devices are asked to come back later. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024

interface WaitingBatch {
  readonly batch: Batch
  readonly now: number
  resolve(stored: Stored): void
  reject(error: unknown): void
}

export function openRecords(store: Store, { isSentOn, log }: RecordsOptions): Records {
  const { database, waiting: turns } = store
  const thread = openThread<Order>('records-writer', { database, waiting: turns, isSentOn })
  const reader = openReader(store)
  const disk = watchDisk(store, log)
  // PostgreSQL works in parallel: meanwhile the thread reads the next batches.
  const mostAtWork = store.kind === 'postgres' ? 2 : 1
  const waiting: WaitingBatch[] = []
  const atWork = new Set<Promise<void>>()
  let bytes = 0
  let isClosing = false

  const goOn = () => {
    while (atWork.size < mostAtWork && waiting.length > 0) {
      const group = takeGroup()
      const work: Promise<void> = storeGroup(group).finally(() => {
        atWork.delete(work)
        goOn()
      })
      atWork.add(work)
    }
  }
  const takeGroup = (): WaitingBatch[] => {
    let rows = 0
    let size = 0
    const end = waiting.findIndex(({ batch }, index) => {
      rows += batch.ends.length
      size += batch.bytes.length
      return index > 0 && (rows > MOST_ROWS || size > MOST_BYTES)
    })
    return waiting.splice(0, end === -1 ? waiting.length : end)
  }
  const storeGroup = async (group: readonly WaitingBatch[]) => {
    const batches = group.map(({ batch }) => batch)
    const now = group[0]!.now
    const size = batches.reduce((sum, batch) => sum + batch.bytes.length, 0)
    try {
      const stored = await thread.ask<readonly (Stored | Failed)[]>(
        { kind: 'store', batches, now },
        batches.map(batch => batch.bytes.buffer as ArrayBuffer),
      )
      for (const [index, one] of group.entries()) {
        const answer = stored[index]!
        if ('error' in answer) one.reject(new Error(answer.error.message))
        else one.resolve(answer)
      }
    } catch (error) {
      for (const one of group) one.reject(error)
    } finally {
      bytes -= size
    }
  }

  return {
    isDiskFull: disk.isFull,
    hasRoomFor: batch => bytes === 0 || bytes + batch.bytes.length <= MOST_WAITING_BYTES,
    store: (batch, now) =>
      new Promise((resolve, reject) => {
        if (isClosing) throw new RequestError('not-now', 'The server is closing. Try again in a moment.')
        if (bytes > 0 && bytes + batch.bytes.length > MOST_WAITING_BYTES) {
          throw new RequestError(
            'too-much',
            'More records wait than can be stored at once. Try again in a moment.',
          )
        }
        bytes += batch.bytes.length
        waiting.push({ batch, now, resolve, reject })
        goOn()
      }),
    fold: () => thread.ask({ kind: 'fold' }),
    prepare: now => thread.ask({ kind: 'prepare', now }),
    prune: now => thread.ask({ kind: 'prune', now }),
    reader: reader.db,
    async close() {
      isClosing = true
      disk.stop()
      while (atWork.size > 0) await Promise.allSettled(atWork)
      await thread.end({ kind: 'close' })
      await reader.close()
    },
  }
}
