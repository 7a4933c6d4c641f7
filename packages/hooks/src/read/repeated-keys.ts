// JSON lets a key stand twice, and parsing keeps the last. A deny that stood first must not be lost to that.

/** Keys that decide, each with the values that stop. */
const STOPS: Readonly<Record<string, readonly unknown[]>> = {
  permission: ['deny'],
  decision: ['deny', 'block'],
  permissionDecision: ['deny'],
  continue: [false],
}

const STOPPING = /"(?:deny|block)"|false/

/** The parsed object, in which a deny that another value of the same key replaced stands again. */
export function keepDenies(text: string, value: Record<string, unknown>): Record<string, unknown> {
  // Nearly every answer is decided by this: a deny can only have been replaced where there was one.
  if (!STOPPING.test(text)) return value
  const twice = Object.keys(STOPS).filter(key => text.indexOf(`"${key}"`) !== text.lastIndexOf(`"${key}"`))
  if (twice.length === 0) return value
  const kept = { ...value }
  for (const { key, depth, stop } of decisionsIn(text)) {
    const nested = kept.hookSpecificOutput
    if (depth === 1 && twice.includes(key)) kept[key] = stop
    else if (depth === 2 && twice.includes(key) && isObject(nested) && Object.hasOwn(nested, key)) {
      kept.hookSpecificOutput = { ...nested, [key]: stop }
    }
  }
  return kept
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A string with what follows it, or a bracket. The text is valid JSON, so nothing else matters here. */
const TOKEN = /"((?:[^"\\]|\\.)*)"\s*(:\s*("(?:[^"\\]|\\.)*"|false\b)?)?|[{}[\]]/g

/** Every place where a deciding key has a value that stops, and how deep it stands. */
function* decisionsIn(text: string): Generator<{ key: string; depth: number; stop: unknown }> {
  let depth = 0
  for (const [token, key, colon, given] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (key !== undefined && colon !== undefined && given !== undefined && Object.hasOwn(STOPS, key)) {
      const stop: unknown = JSON.parse(given)
      if (STOPS[key]!.includes(stop)) yield { key, depth, stop }
    }
  }
}
