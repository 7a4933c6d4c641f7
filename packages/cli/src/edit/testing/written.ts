// For tests: hooks.json as people write it.

import * as fc from 'fast-check'

/** Any way to write JSON that people have: spaces, tabs, comments, line ends, commas before brackets. */
export const written = (): fc.Arbitrary<{ text: string; value: Record<string, unknown> }> => {
  const eol = fc.constantFrom('\n', '\r\n', '\r')
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  const entry = fc.oneof(
    fc.record({ command: fc.string() }),
    fc.record({ command: fc.string(), timeout: fc.integer(), matcher: fc.string() }),
    fc.constant({}),
  )
  const lists = fc.dictionary(
    fc.constantFrom('stop', 'preToolUse', 'x', ' y"'),
    fc.array(entry, { maxLength: 3 }),
  )
  const value = fc.oneof(
    fc.record({ version: fc.constant(1), hooks: lists }),
    fc.record({ hooks: lists, other: fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })) }),
    fc.record({ version: fc.constant(1) }),
    fc.constant({}),
  )
  return fc
    .record({
      value,
      eol,
      noise: fc.infiniteStream(fc.integer({ min: 0, max: 11 })),
      trailing: fc.boolean(),
      bom: fc.boolean(),
    })
    .map(({ value, eol, noise, trailing, bom }) => {
      let comments = 0
      const space = (): string => {
        const kind = noise.next().value ?? 0
        if (kind < 5) return ''
        if (kind === 5) return ' '
        if (kind === 6) return '\t'
        if (kind === 7) return `${eol}  `
        if (kind === 8) return `${eol}${eol}\t`
        if (kind === 9) return ` // note ${comments++} ] } ,${eol}`
        if (kind === 10) return ` /* note ${comments++} ] } , */ `
        return `/* note ${comments++}${eol} two lines */${eol}`
      }
      const put = (part: unknown): string => {
        if (typeof part !== 'object' || part === null) return JSON.stringify(part)
        const parts = Array.isArray(part)
          ? part.map(put)
          : Object.entries(part).map(
              ([key, item]) => `${JSON.stringify(key)}${space()}:${space()}${put(item)}`,
            )
        const end = trailing && parts.length > 0 ? `,${space()}` : ''
        const [a, b] = Array.isArray(part) ? '[]' : '{}'
        return `${a}${parts.map(one => `${space()}${one}${space()}`).join(',')}${end}${space()}${b}`
      }
      return { text: `${bom ? '\uFEFF' : ''}${space()}${put(value)}${space()}`, value }
    })
}

/** Every comment has a number of its own. */
export const commentsOf = (text: string) => text.match(/note \d+/g) ?? []
