// The last runs, in memory: the newest takes the place of the oldest.

export interface Ring<T> {
  add(item: T): void
  /** Oldest first. */
  list(): readonly T[]
}

export function openRing<T>(size: number): Ring<T> {
  const room = Number.isFinite(size) ? Math.max(1, Math.floor(size)) : 100
  const items: T[] = []
  let oldest = 0
  return {
    add(item) {
      if (items.length < room) items.push(item)
      else {
        items[oldest] = item
        oldest = (oldest + 1) % room
      }
    },
    list: () => [...items.slice(oldest), ...items.slice(0, oldest)],
  }
}
