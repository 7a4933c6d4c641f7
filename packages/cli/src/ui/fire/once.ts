// What is asked twice with the same key is done once: a double click, or a page that was not sure that it was heard.

const MOST = 200

export type Once = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** One after the other: a hook that writes files must not meet itself. */
export function onceEach(): Once {
  const known = new Map<string, Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = key === '' ? undefined : known.get(key)
    if (before) return before as Promise<T>
    const done = last.then(work, work)
    last = done.catch(() => {})
    if (key === '') return done
    known.set(key, done)
    if (known.size > MOST) known.delete(known.keys().next().value!)
    // What was refused may be asked again.
    done.catch(() => known.delete(key))
    return done
  }
}
