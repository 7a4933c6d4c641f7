// What stands behind the question mark of an address: texts only, and only those that a page knows.

export type Texts<Name extends string> = { [name in Name]?: string }

export const texts =
  <Name extends string>(...names: readonly Name[]) =>
  (given: Record<string, unknown>): Texts<Name> => {
    const kept: Texts<Name> = {}
    for (const name of names) {
      const value = given[name]
      // Numbers were texts before the router read them.
      if (typeof value === 'string' || typeof value === 'number') kept[name] = String(value)
    }
    return kept
  }

/** deny,failed_open */
export const listOf = (text: string | undefined): string[] => (text ? text.split(',').filter(Boolean) : [])
export const asList = (values: readonly string[]): string | undefined =>
  values.length > 0 ? values.join(',') : undefined

/** The same address with some of it changed; what is empty falls away. */
export function withTexts<Name extends string>(
  before: Texts<Name>,
  changes: { readonly [name in Name]?: string | undefined },
): Texts<Name> {
  const after: Texts<Name> = { ...before }
  for (const [name, value] of Object.entries(changes) as [Name, string | undefined][]) {
    if (value) after[name] = value
    else delete after[name]
  }
  return after
}
