// Times travel as RFC 3339 and are kept as milliseconds.

import { RequestError } from './request-error.js'

const SHAPE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i

export function timeOf(field: string, text: string): number {
  const at = SHAPE.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) {
    throw new RequestError(
      'invalid',
      `${field} is "${text.slice(0, 40)}"; expected a time such as 2026-01-31T12:00:00Z.`,
    )
  }
  return at
}
