// An object may repeat a key, and parsing keeps the last value. A deny that came first must not be lost to that.

/** Keys that decide, each with the values that deny. */
const DENIALS: Readonly<Record<string, readonly unknown[]>> = {
  permission: ['deny'],
  decision: ['deny', 'block'],
  permissionDecision: ['deny'],
  continue: [false],
}

const DENYING_VALUE = /"(?:deny|block)"|false/

/** The parsed object, with a deny in place of the value that replaced it. */
export function keepDenies(text: string, value: Record<string, unknown>): Record<string, unknown> {
  // Decides nearly every response: without a denying value none can have been replaced.
  if (!DENYING_VALUE.test(text)) return value
  const repeated = Object.keys(DENIALS).filter(
    key => text.indexOf(`"${key}"`) !== text.lastIndexOf(`"${key}"`),
  )
  if (repeated.length === 0) return value
  const kept = { ...value }
  for (const { key, depth, denial } of denialsIn(text)) {
    const nested = kept.hookSpecificOutput
    if (depth === 1 && repeated.includes(key)) kept[key] = denial
    else if (depth === 2 && repeated.includes(key) && isObject(nested) && Object.hasOwn(nested, key)) {
      kept.hookSpecificOutput = { ...nested, [key]: denial }
    }
  }
  return kept
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A string with what follows it, or a bracket. The text is valid JSON, so nothing else matters here. */
const TOKEN = /"((?:[^"\\]|\\.)*)"\s*(:\s*("(?:[^"\\]|\\.)*"|false\b)?)?|[{}[\]]/g

/** Every place where a deciding key has a value that denies, and its depth. */
function* denialsIn(text: string): Generator<{ key: string; depth: number; denial: unknown }> {
  let depth = 0
  for (const [token, key, colon, given] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (key !== undefined && colon !== undefined && given !== undefined && Object.hasOwn(DENIALS, key)) {
      const denial: unknown = JSON.parse(given)
      if (DENIALS[key]!.includes(denial)) yield { key, depth, denial }
    }
  }
}
