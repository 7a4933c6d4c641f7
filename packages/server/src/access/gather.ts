// Lookups by id that arrive together become one query: after a restart of the server all devices return within seconds.

const WAIT_MS = 3
/** How many ids one query holds: SQLite reads on the main thread. */
const MOST_IDS = 500

interface LookupBatch<V> {
  readonly ids: Set<string>
  readonly found: Promise<ReadonlyMap<string, V>>
}

export function gather<V>(
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (id: string) => Promise<V | undefined> {
  let open: LookupBatch<V> | null = null
  const start = (): LookupBatch<V> => {
    const ids = new Set<string>()
    const found = new Promise<void>(resolve => setTimeout(resolve, WAIT_MS)).then(() => {
      if (open?.ids === ids) open = null
      return load([...ids])
    })
    return { ids, found }
  }
  return async id => {
    if (!open || open.ids.size >= MOST_IDS) open = start()
    const batch = open
    batch.ids.add(id)
    return (await batch.found).get(id)
  }
}
