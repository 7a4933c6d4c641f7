// What crosses a room is frozen, so that nobody downstream can loosen it by accident.

/**
 * All the way down; what is frozen already counts as done. Regular expressions stay as they are: a frozen one
 * is slower at every test.
 */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || value instanceof RegExp)
    return value
  Object.freeze(value)
  if (value instanceof Map) for (const item of value.values()) freeze(item)
  else if (Array.isArray(value)) for (const item of value) freeze(item)
  else for (const key in value) if (typeof value[key] === 'object') freeze(value[key])
  return value
}

/** Freezing a Map does not stop `set`; this does. */
export function frozenMap<K, V>(map: Map<K, V>): ReadonlyMap<K, V> {
  const refuse = () => {
    throw new TypeError('The catalog is frozen.')
  }
  for (const name of ['set', 'delete', 'clear'] as const) {
    Object.defineProperty(map, name, { value: refuse })
  }
  return map
}
