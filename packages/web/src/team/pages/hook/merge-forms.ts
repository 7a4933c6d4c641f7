// Merges three versions of a form into a fourth.

import type { Form } from './form.js'

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Fields that both changed, to different values. */
export const bothChanged = (base: Form, mine: Form, theirs: Form): (keyof Form)[] =>
  (Object.keys(mine) as (keyof Form)[]).filter(
    field =>
      !same(mine[field], theirs[field]) &&
      !same(mine[field], base[field]) &&
      !same(theirs[field], base[field]),
  )

/** Fields that only one changed are taken; of the others mine, unless the other was chosen. */
export function merged(base: Form, mine: Form, theirs: Form, chosen: ReadonlySet<keyof Form>): Form {
  const take = (field: keyof Form) =>
    chosen.has(field) || same(mine[field], base[field]) ? theirs[field] : mine[field]
  return Object.fromEntries(
    (Object.keys(mine) as (keyof Form)[]).map(field => [field, take(field)]),
  ) as unknown as Form
}
