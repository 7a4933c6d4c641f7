// The values that a change request asks for, as text. Of settings only those that differ from the present ones.

export interface Requested {
  readonly key: string
  readonly text: string
}

export function changedValues(callJson: string, settings: unknown): Requested[] {
  const call = asObject(parse(callJson))
  const before = asObject(settings)
  return Object.entries(call).flatMap(([key, value]) =>
    key === 'settings'
      ? changesOf(before, asObject(value))
      : isEmpty(value)
        ? []
        : [{ key, text: asText(value) }],
  )
}

/** A message leaves out a false, an empty text and a zero. */
function changesOf(before: JsonObject, after: JsonObject): Requested[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(key => {
    const [old, wanted] = [asText(before[key]), asText(after[key])]
    return old === wanted ? [] : [{ key, text: `${old} → ${wanted}` }]
  })
}

type JsonObject = Readonly<Record<string, unknown>>

const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {}

const isEmpty = (value: unknown): boolean =>
  value === '' || value === undefined || (Array.isArray(value) && value.length === 0)

function asText(value: unknown): string {
  if (value === undefined || value === false || value === 0 || value === '') return 'no'
  if (value === true) return 'yes'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
