// The query of an address: texts only, and only those that the page defines.

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

/** deny,failed_open. Names of hooks can contain commas, so they are escaped. */
export const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map(value => value.replaceAll('%2C', ',').replaceAll('%25', '%'))

export const asList = (values: readonly string[]): string | undefined =>
  values.length > 0
    ? values.map(value => value.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')
    : undefined

/** The same query with changes; empty texts are removed. */
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
