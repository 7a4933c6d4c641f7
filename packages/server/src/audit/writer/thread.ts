// The thread itself: takes orders, one after the other where the writer wants it so, and tells what came of them.

import { parentPort, workerData } from 'node:worker_threads'
import { kindOf } from '../../store/kind.js'
import type { Batch, Stored } from '../batch.js'
import { onOrder } from '../thread.js'
import type { Asked, Failed, Told, Writer, WriterOptions } from './writer.js'

const options = workerData as WriterOptions
const port = parentPort!
// Each database brings a client library; a thread loads the one that it uses.
const writer: Writer =
  kindOf(options.database) === 'postgres'
    ? (await import('./postgres.js')).openPostgresWriter(options)
    : (await import('./sqlite.js')).openSqliteWriter(options)

onOrder(({ id, order }: Asked) => {
  carryOut(order).then(
    value => tell({ id, value }),
    error => tell({ id, ...failed(error) }),
  )
})

// Who asked would wait for ever; so this thread ends, and they hear of it.
port.on('messageerror', error => {
  throw error
})

const tell = (told: Told) => port.postMessage(told)

async function carryOut(order: Asked['order']): Promise<unknown> {
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

/** What a database says of data, and not of itself. */
const OF_DATA = /^(22|23|54)|^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)/

/** What the database cannot take of one device must not stand in the way of another. */
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
