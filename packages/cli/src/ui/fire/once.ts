// Requests with the same key run once: for a double click, or a page that repeats a request.

const MOST = 200

/** `gone` aborts when this caller stops waiting; without callers, the work is stopped. */
export type Once = <T>(key: string, gone: AbortSignal, work: (stop: AbortSignal) => Promise<T>) => Promise<T>

interface Work {
  readonly done: Promise<unknown>
  readonly stop: AbortController
  waiting: number
}

/** One after the other: a hook that writes files must not run beside itself. */
export function onceEach(): Once {
  const known = new Map<string, Work>()
  let last: Promise<unknown> = Promise.resolve()

  const begin = (key: string, work: (stop: AbortSignal) => Promise<unknown>): Work => {
    const stop = new AbortController()
    const run = () => work(stop.signal)
    const done = last.then(run, run)
    last = done.catch(() => {})
    const begun = { done, stop, waiting: 0 }
    if (key === '') return begun
    known.set(key, begun)
    if (known.size > MOST) known.delete(known.keys().next().value!)
    // A rejected request may be repeated.
    done.catch(() => known.delete(key))
    return begun
  }

  return <T>(key: string, gone: AbortSignal, work: (stop: AbortSignal) => Promise<T>): Promise<T> => {
    const one = (key === '' ? undefined : known.get(key)) ?? begin(key, work)
    one.waiting++
    const leave = () => {
      if (--one.waiting === 0) one.stop.abort()
    }
    if (gone.aborted) leave()
    else gone.addEventListener('abort', leave, { once: true })
    return one.done as Promise<T>
  }
}
