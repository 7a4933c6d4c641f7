// A worker thread for requests, started with the first one.

import { fileURLToPath } from 'node:url'
import { parentPort, Worker } from 'node:worker_threads'

export interface Thread<Order> {
  /** Resolves when the thread is ready, or failed to start: the next request then rejects with the reason. */
  ready(): Promise<void>
  ask<T>(order: Order, transfer?: readonly ArrayBuffer[]): Promise<T>
  /** Ends it, after a last request if there is one; open requests fail. */
  end(last?: Order): Promise<void>
}

/** The final message to a thread. */
const END = 'end'

interface OpenRequest {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** In the built package it is beside this file; for the sources, in the built package. */
const fileOf = (name: string): string =>
  fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? `../../dist/${name}.js` : `./${name}.js`, import.meta.url),
  )

export function openThread<Order>(name: string, data: unknown): Thread<Order> {
  const waiting = new Map<number, OpenRequest>()
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
    started.on('message', ({ id, value, error }: { id: number; value?: unknown; error?: ThreadError }) => {
      const one = waiting.get(id)
      waiting.delete(id)
      if (error) one?.reject(Object.assign(new Error(error.message), { code: error.code }))
      else one?.resolve(value)
    })
    // Another one is started for the next request.
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
      // It ends itself. Terminating it during a call into the database library would end the process.
      ended.postMessage(END)
      await isOver
    },
  }
}

const closing = () => new Error('The server is closing.')

/** The other side: what the thread does with a request. */
export const onOrder = <Asked>(take: (asked: Asked) => void): void => {
  parentPort!.on('message', (asked: Asked | typeof END) => {
    if (asked === END) process.exit()
    take(asked)
  })
  // The first message reports that the thread is ready. No request has the id 0.
  parentPort!.postMessage({ id: 0 })
}

interface ThreadError {
  readonly message: string
  readonly code: string
}
