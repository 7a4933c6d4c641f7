// Validates a value against the part of JSON Schema draft-07 that our schemas use. An unknown keyword is an error, so
// that nothing remains unchecked.

type Schema = Readonly<Record<string, unknown>>

const ANNOTATIONS: ReadonlySet<string> = new Set(
  [
    '$schema $id title description default examples definitions then else',
    // Keywords of VS Code and editors based on it.
    'errorMessage doNotSuggest markdownDescription defaultSnippets enumDescriptions allowComments',
  ]
    .join(' ')
    .split(' '),
)

/** Where and why the value does not fit; empty if it does. */
export function problems(schema: Schema, value: unknown, root: Schema = schema, at = ''): string[] {
  const say = (problem: string) => [`${at || 'the value'} ${problem}`]
  const check = (inner: unknown, part: unknown = value, path = at) =>
    problems(inner as Schema, part, root, path)
  const keywords: Record<string, (argument: never) => string[]> = {
    $ref: (name: string) =>
      check((root.definitions as Record<string, Schema>)[name.replace('#/definitions/', '')]),
    type: (types: string | string[]) =>
      [types].flat().some(type => isOfType(type, value)) ? [] : say(`is not of type ${types}`),
    const: (wanted: unknown) => (wanted === value ? [] : say(`is not ${JSON.stringify(wanted)}`)),
    enum: (wanted: unknown[]) => (wanted.includes(value) ? [] : say(`is none of ${wanted.join(', ')}`)),
    minimum: (least: number) => (typeof value === 'number' && value < least ? say(`is below ${least}`) : []),
    exclusiveMinimum: (least: number) =>
      typeof value === 'number' && value <= least ? say(`is not above ${least}`) : [],
    pattern: (text: string) =>
      typeof value === 'string' && !new RegExp(text).test(value) ? say(`does not match ${text}`) : [],
    not: (inner: Schema) => (check(inner).length === 0 ? say('is not allowed') : []),
    if: (inner: Schema) => {
      const next = check(inner).length === 0 ? schema.then : schema.else
      return next === undefined ? [] : check(next)
    },
    required: (names: string[]) =>
      isObject(value) ? names.filter(name => !(name in value)).flatMap(name => say(`has no ${name}`)) : [],
    properties: (inner: Record<string, Schema>) =>
      isObject(value)
        ? Object.keys(inner)
            .filter(name => name in value)
            .flatMap(name => check(inner[name], value[name], `${at}.${name}`))
        : [],
    additionalProperties: (inner: Schema | false) => {
      if (!isObject(value)) return []
      const others = Object.keys(value).filter(name => !(name in ((schema.properties ?? {}) as object)))
      if (inner === false) return others.flatMap(name => say(`has the unknown key ${name}`))
      return others.flatMap(name => check(inner, value[name], `${at}.${name}`))
    },
    items: (inner: Schema) =>
      Array.isArray(value) ? value.flatMap((item, index) => check(inner, item, `${at}[${index}]`)) : [],
  }
  return Object.entries(schema)
    .filter(([keyword]) => !ANNOTATIONS.has(keyword))
    .flatMap(([keyword, argument]) => {
      const rule = keywords[keyword]
      if (!rule) throw new Error(`The test knows no keyword "${keyword}".`)
      return rule(argument as never)
    })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}
