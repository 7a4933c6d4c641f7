// Greedy set cover: few items that together have every feature that occurs. The same items give the same cover.

export function cover<T>(
  items: readonly T[],
  featuresOf: (item: T) => readonly string[],
  /** These are always part of the result. */
  taken: readonly T[] = [],
): Set<T> {
  const chosen = new Set(taken)
  const lacking = items.map(item => ({ item, features: new Set(featuresOf(item)) }))
  const strike = (found: Iterable<string>) => {
    for (const name of [...found]) for (const { features } of lacking) features.delete(name)
  }
  for (const item of taken) strike(featuresOf(item))
  for (;;) {
    const best = lacking.reduce((a, b) => (b.features.size > a.features.size ? b : a))
    if (best.features.size === 0) return chosen
    chosen.add(best.item)
    strike(best.features)
  }
}
