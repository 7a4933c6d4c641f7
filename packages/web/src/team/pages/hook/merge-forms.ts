// Three versions of one form make a fourth.

import type { Form } from './form.js'

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What both have changed, and not to the same. */
export const bothChanged = (base: Form, mine: Form, theirs: Form): (keyof Form)[] =>
  (Object.keys(mine) as (keyof Form)[]).filter(
    field =>
      !same(mine[field], theirs[field]) &&
      !same(mine[field], base[field]) &&
      !same(theirs[field], base[field]),
  )

/** What only one has changed is taken; of what both have, mine, but for what was chosen. */
export function merged(base: Form, mine: Form, theirs: Form, chosen: ReadonlySet<keyof Form>): Form {
  const take = (field: keyof Form) =>
    chosen.has(field) || same(mine[field], base[field]) ? theirs[field] : mine[field]
  return Object.fromEntries(
    (Object.keys(mine) as (keyof Form)[]).map(field => [field, take(field)]),
  ) as unknown as Form
}
