// The input of a standard tool: a JSON Schema for the model, and the check of rewrites by hooks.

import { jsonSchema, type Schema } from 'ai'

interface Field<T> {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly description: string
  readonly optional?: boolean
  readonly kind?: T
}

export const text = (description: string): Field<string> => ({ type: 'string', description })
export const whole = (description: string): Field<number> => ({ type: 'integer', description })
export const flag = (description: string): Field<boolean> => ({ type: 'boolean', description })
export const maybe = <T>(field: Field<T>): Field<T | undefined> => ({ ...field, optional: true }) as never

type Read<F> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never }

const IS: Readonly<Record<Field<unknown>['type'], (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  integer: value => Number.isSafeInteger(value) && (value as number) >= 0,
  boolean: value => typeof value === 'boolean',
}

const WORDS = { string: 'text', integer: 'a whole number, 0 or more', boolean: 'true or false' }

export function inputOf<F extends Record<string, Field<unknown>>>(fields: F): Schema<Read<F>> {
  const names = Object.keys(fields)
  const properties = Object.fromEntries(
    names.map(name => [name, { type: fields[name]!.type, description: fields[name]!.description }]),
  )
  const required = names.filter(name => !fields[name]!.optional)
  return jsonSchema<Read<F>>(
    { type: 'object', properties, required, additionalProperties: false },
    {
      validate: value => {
        const problem = problemOf(fields, value)
        return problem
          ? { success: false, error: new Error(problem) }
          : { success: true, value: value as Read<F> }
      },
    },
  )
}

function problemOf(fields: Record<string, Field<unknown>>, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'The input must be an object.'
  const given = value as Record<string, unknown>
  const unknown = Object.keys(given).find(name => !Object.hasOwn(fields, name))
  if (unknown !== undefined) {
    return `"${unknown}" is not an input; known are ${Object.keys(fields).join(', ')}.`
  }
  for (const [name, { type, optional }] of Object.entries(fields)) {
    if (given[name] === undefined && optional) continue
    if (given[name] === undefined) return `"${name}" is missing.`
    if (!IS[type](given[name])) return `"${name}" must be ${WORDS[type]}.`
  }
  return undefined
}
