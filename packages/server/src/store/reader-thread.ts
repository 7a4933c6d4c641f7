// Reads the file, one query at a time.

import { parentPort, workerData } from 'node:worker_threads'
import { openFile } from './file.js'
import type { ReaderQuery } from './reader.js'
import { onOrder } from './thread.js'

const database = openFile((workerData as { file: string }).file)
database.pragma('query_only = ON')

onOrder(({ id, order }: { id: number; order: ReaderQuery }) => {
  try {
    parentPort!.postMessage({ id, value: database.prepare(order.sql).all(...order.parameters) })
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown }
    parentPort!.postMessage({ id, error: { message, code: String(code ?? '') } })
  }
})
