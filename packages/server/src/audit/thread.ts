// A thread that takes orders, and is started when the first one comes.

import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

export interface Thread<Order> {
  ask<T>(order: Order, transfer?: readonly ArrayBuffer[]): Promise<T>
  /** Ends it, after a last order if there is one; what was asked and not answered by then fails. */
  end(last?: Order): Promise<void>
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** In the built package they lie beside us; in the sources, in the built package. */
const fileOf = (name: string): string =>
  fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? `../../dist/${name}.js` : `./${name}.js`, import.meta.url),
  )

export function openThread<Order>(name: string, data: unknown): Thread<Order> {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let last = 0

  const start = (): Worker => {
    const started = new Worker(fileOf(name), { workerData: data })
    started.on('message', ({ id, value, error }: { id: number; value?: unknown; error?: Said }) => {
      const one = waiting.get(id)
      waiting.delete(id)
      if (error) one?.reject(Object.assign(new Error(error.message), { code: error.code }))
      else one?.resolve(value)
    })
    // Another one is started for the next order.
    started.on('error', error => lose(started, error))
    started.on('exit', () => lose(started, new Error('The thread has ended.')))
    return started
  }
  const lose = (lost: Worker, error: Error) => {
    if (worker !== lost) return
    worker = null
    for (const one of waiting.values()) one.reject(error)
    waiting.clear()
  }

  const ask = <T>(order: Order, transfer: readonly ArrayBuffer[] = []) => {
    worker ??= start()
    const id = ++last
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      worker!.postMessage({ id, order }, transfer)
    })
  }

  return {
    ask,
    async end(order) {
      const ended = worker
      if (!ended) return
      if (order !== undefined) await ask(order).catch(() => {})
      lose(ended, new Error('The server is closing.'))
      await ended.terminate()
    },
  }
}

interface Said {
  readonly message: string
  readonly code: string
}
