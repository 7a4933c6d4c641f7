// Checks the options of a host. A misspelt one would be ignored, and without `failClosed` or `required` actions proceed.

import { describeValue, quote } from './config/json.js'
import { nearest } from './config/report.js'
import { HooksError } from './errors.js'

export interface Option {
  /** For error messages: "expected true or false". */
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

export type Options = Readonly<Record<string, Option>>

export const option = (expected: string, isValid: Option['isValid']): Option => ({ expected, isValid })

/** `what`: the object, as in "There is no option of a hook called …". */
export function checkOptions(given: object, what: string, known: Options, required: readonly string[]): void {
  for (const [name, value] of Object.entries({ ...given })) {
    if (value === undefined || Object.hasOwn(known, name)) continue
    const meant = nearest(name, Object.keys(known))
    const hint = meant === undefined ? '' : ` Did you mean ${quote(meant)}?`
    throw badOption(`${quote(name)} is not an option of ${what}.${hint}`)
  }
  for (const [name, { expected, isValid }] of Object.entries(known)) {
    const value = (given as Readonly<Record<string, unknown>> | undefined)?.[name]
    if ((value === undefined && !required.includes(name)) || isValid(value)) continue
    throw badOption(`${quote(name)} of ${what} is ${describeValue(value)}; expected ${expected}.`)
  }
}

export const badOption = (text: string): HooksError => new HooksError('use/bad-option', text)
