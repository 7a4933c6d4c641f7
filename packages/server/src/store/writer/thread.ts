// The thread itself: handles requests, in sequence if the writer requires it, and returns results.

import { parentPort, workerData } from 'node:worker_threads'
import type { Batch, Stored } from '../../records/batch.js'
import { kindOf } from '../kind.js'
import { onOrder } from '../thread.js'
import type { Failed, Told, Writer, WriterOptions, WriterRequest } from './writer.js'

const options = workerData as WriterOptions
const port = parentPort!
// Each database has a client library; a thread loads the one that it uses.
const writer: Writer =
  kindOf(options.database) === 'postgres'
    ? (await import('./postgres.js')).openPostgresWriter(options)
    : (await import('./sqlite.js')).openSqliteWriter(options)

onOrder(({ id, order }: WriterRequest) => {
  carryOut(order).then(
    value => tell({ id, value }),
    error => tell({ id, ...failed(error) }),
  )
})

// The caller would wait forever, so this thread ends, which rejects its requests.
port.on('messageerror', error => {
  throw error
})

const tell = (told: Told) => port.postMessage(told)

async function carryOut(order: WriterRequest['order']): Promise<unknown> {
  switch (order.kind) {
    case 'store':
      return store(order.batches, order.now)
    case 'fold':
      return writer.fold()
    case 'prepare':
      return writer.prepare(order.now)
    case 'prune':
      return writer.prune(order.now)
    case 'close':
      return writer.close()
  }
}

/** Errors of a database about the data, not about itself. */
const OF_DATA = /^(22|23|54)|^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)/

/** Data of one device that the database rejects must not block other devices. */
async function store(batches: readonly Batch[], now: number): Promise<readonly (Stored | Failed)[]> {
  try {
    return await writer.store(batches, now)
  } catch (error) {
    if (batches.length === 1 || !OF_DATA.test(failed(error as Error).error.code)) throw error
  }
  const stored: (Stored | Failed)[] = []
  for (const batch of batches)
    stored.push(...(await writer.store([batch], now).catch(error => [failed(error)])))
  return stored
}

function failed({ message, code }: Error & { code?: unknown }): Failed {
  return { error: { message, code: String(code ?? '') } }
}
