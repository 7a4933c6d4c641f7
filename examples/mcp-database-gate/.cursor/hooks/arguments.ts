// Finds SQL in the arguments of a tool. Servers name it sql, query, statement …, and nest it.

import { looksLikeSql } from './judge.js'

/** Every text under these names is SQL. */
const SQL_NAME = /sql|^(?:queries|query|statements?|scripts?|commands?|batch|q)$/i
/** The same for tools that are not known as database tools: a search has a "query" too. */
const SURELY_SQL = /sql|^statements?$/i
/** Values that are bound to a statement. They do not run, and may be prose. */
const BOUND = /^(?:params|parameters|values|args|arguments|bind|binds|bindings)$/i

/** Throws an error that describes the problem. */
export function readArguments(text: string): Record<string, unknown> {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('they are not an object')
  return value as Record<string, unknown>
}

export function sqlIn(input: Record<string, unknown>, isDatabase: boolean): string[] {
  const name = isDatabase ? SQL_NAME : SURELY_SQL
  const found: string[] = []
  const visit = (value: unknown, kind: 'sql' | 'bound' | 'other'): void => {
    if (typeof value === 'string') {
      const inner = nested(value)
      if (inner !== undefined) visit(inner, kind)
      else if (kind === 'sql' || (kind === 'other' && isDatabase && looksLikeSql(value))) found.push(value)
    } else if (Array.isArray(value)) {
      for (const item of value) visit(item, kind)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value))
        visit(item, name.test(key) ? 'sql' : BOUND.test(key) ? 'bound' : kind)
    }
  }
  visit(input, 'other')
  return found
}

/** Arguments inside arguments, encoded as JSON again. */
function nested(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  return parse(text)
}

function parse(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new TypeError('they are not JSON')
  }
  // If a name is repeated, this hook would judge the second value, while the server may run the first.
  const named = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).length
  if (named !== countNames(value)) throw new TypeError('a name stands in them twice')
  return value
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value).reduce((sum: number, item) => sum + countNames(item), 0)
  return Array.isArray(value) ? inner : inner + Object.keys(value).length
}
