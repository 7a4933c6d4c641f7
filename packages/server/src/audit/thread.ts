// A thread that takes orders, and is started when the first one comes.

import { fileURLToPath } from 'node:url'
import { parentPort, Worker } from 'node:worker_threads'

export interface Thread<Order> {
  /** Resolves when the thread takes orders, or failed to start: the next order then says why. */
  ready(): Promise<void>
  ask<T>(order: Order, transfer?: readonly ArrayBuffer[]): Promise<T>
  /** Ends it, after a last order if there is one; what was asked and not answered by then fails. */
  end(last?: Order): Promise<void>
}

/** What is said to a thread, which has nothing left to do then. */
const END = 'end'

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
  let loaded: Promise<void> = Promise.resolve()
  let last = 0
  let isEnded = false

  const start = (): Worker => {
    const started = new Worker(fileOf(name), { workerData: data })
    loaded = new Promise(resolve => {
      started.once('message', () => resolve())
      started.once('exit', () => resolve())
    })
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
    if (isEnded) return Promise.reject<T>(closing())
    worker ??= start()
    const id = ++last
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      worker!.postMessage({ id, order }, transfer)
    })
  }

  return {
    async ready() {
      if (isEnded) return
      worker ??= start()
      await loaded
    },
    ask,
    async end(order) {
      const ended = worker
      if (ended && order !== undefined) await ask(order).catch(() => {})
      isEnded = true
      if (!ended || worker !== ended) return
      const isOver = new Promise<void>(resolve => ended.once('exit', () => resolve()))
      lose(ended, closing())
      // It ends itself. Ended from outside in the middle of a call to the library of the database, it would take the
      // whole process with it.
      ended.postMessage(END)
      await isOver
    },
  }
}

const closing = () => new Error('The server is closing.')

/** The other side: what the thread does with an order. */
export const onOrder = <Asked>(take: (asked: Asked) => void): void => {
  parentPort!.on('message', (asked: Asked | typeof END) => {
    if (asked === END) process.exit()
    take(asked)
  })
  // The first message says that the thread takes orders. No order has the id 0.
  parentPort!.postMessage({ id: 0 })
}

interface Said {
  readonly message: string
  readonly code: string
}
