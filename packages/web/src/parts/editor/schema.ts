// The part of a JSON Schema for one place in a document. All branches that may apply count, as the text is incomplete.

export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly enumDescriptions?: readonly string[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly description?: string
  readonly title?: string
  readonly defaultSnippets?: readonly Snippet[]
  readonly doNotSuggest?: boolean
  readonly not?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly if?: Schema
  readonly then?: Schema
  readonly else?: Schema
  readonly $ref?: string
  readonly definitions?: Readonly<Record<string, Schema>>
  readonly $defs?: Readonly<Record<string, Schema>>
}

export interface Snippet {
  readonly label?: string
  readonly description?: string
  readonly body: unknown
}

/** Limits circular references. */
const DEEPEST = 32

export function schemasAt(root: Schema, path: readonly (string | number)[]): Schema[] {
  let here = branches(root, root)
  for (const step of path)
    here = here.flatMap(schema => below(schema, step)).flatMap(at => branches(root, at))
  return here
}

function below(schema: Schema, step: string | number): Schema[] {
  if (typeof step === 'number') return schema.items ? [schema.items] : []
  const own = schema.properties?.[step]
  if (own) return [own]
  return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
}

/** The schema and all schemas that it refers to for the same place. */
export function branches(root: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > DEEPEST || typeof schema !== 'object' || schema === null) return []
  const more = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (schema.then) more.push(schema.then)
  if (schema.else) more.push(schema.else)
  const referred = schema.$ref === undefined ? undefined : refer(root, schema.$ref)
  if (referred) more.push(referred)
  return [schema, ...more.flatMap(next => branches(root, next, depth + 1))]
}

function refer(root: Schema, ref: string): Schema | undefined {
  if (!ref.startsWith('#')) return undefined
  let at: unknown = root
  for (const part of ref.slice(1).split('/').filter(Boolean)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    at = (at as Record<string, unknown> | undefined)?.[name]
  }
  return at as Schema | undefined
}
