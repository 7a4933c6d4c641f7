// The thread itself: takes orders, one after the other where the writer wants it so, and tells what came of them.

import { parentPort, workerData } from 'node:worker_threads'
import { kindOf } from '../../store/kind.js'
import { openPostgresWriter } from './postgres.js'
import { openSqliteWriter } from './sqlite.js'
import type { Asked, Told, Writer, WriterOptions } from './writer.js'

const options = workerData as WriterOptions
const port = parentPort!
const writer: Writer =
  kindOf(options.database) === 'postgres' ? openPostgresWriter(options) : openSqliteWriter(options)

port.on('message', ({ id, order }: Asked) => {
  carryOut(order).then(
    value => tell({ id, value }),
    (error: Error & { code?: unknown }) =>
      tell({ id, error: { message: error.message, code: String(error.code ?? '') } }),
  )
})

const tell = (told: Told) => port.postMessage(told)

async function carryOut(order: Asked['order']): Promise<unknown> {
  switch (order.kind) {
    case 'store':
      return writer.store(order.batches, order.now)
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
