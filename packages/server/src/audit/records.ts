// The store of records: one thread that writes them, and a second look into the database for questions that may take a
// while. Both begin with the first need of them.

import { Refusal } from '../refusal.js'
import type { Db, Store } from '../store/open.js'
import type { Log } from '../team.js'
import type { Batch, Stored } from './batch.js'
import { watchDisk } from './disk.js'
import { openReader } from './reader/reader.js'
import { openThread } from './thread.js'
import type { Failed, Order } from './writer/writer.js'

export interface Records {
  /** False while more waits than should be held in memory. */
  hasRoomFor(batch: Batch): boolean
  /** True while the disk has no room for records. */
  isDiskFull(): boolean
  /** Stored for good when it resolves. The bytes of the batch are given away. */
  store(batch: Batch, now: number): Promise<Stored>
  fold(): Promise<number>
  prepare(now: number): Promise<void>
  prune(now: number): Promise<boolean>
  /** For questions over many rows: it holds up nobody, and nothing in it may take for ever. */
  readonly reader: Db
  /** Lets what was begun end. */
  close(): Promise<void>
}

export interface RecordsOptions {
  readonly isSentOn: boolean
  readonly log: Log
}

/** So much goes into one transaction at most, where it is more than one batch. */
const MOST_ROWS = 4000
const MOST_BYTES = 8 * 1024 * 1024
/** So much waits at most before devices are told to come back later. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024

interface Waiting {
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
  // PostgreSQL works on its own: meanwhile the thread reads the next batches.
  const mostAtWork = store.kind === 'postgres' ? 2 : 1
  const waiting: Waiting[] = []
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
  const takeGroup = (): Waiting[] => {
    let rows = 0
    let size = 0
    const end = waiting.findIndex(({ batch }, index) => {
      rows += batch.ends.length
      size += batch.bytes.length
      return index > 0 && (rows > MOST_ROWS || size > MOST_BYTES)
    })
    return waiting.splice(0, end === -1 ? waiting.length : end)
  }
  const storeGroup = async (group: readonly Waiting[]) => {
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
        if (isClosing) throw new Refusal('not-now', 'The server is closing. Try again in a moment.')
        if (bytes > 0 && bytes + batch.bytes.length > MOST_WAITING_BYTES) {
          throw new Refusal(
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
