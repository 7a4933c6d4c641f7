// Random text of any characters.

import fc from 'fast-check'

/**
 * Like `unit: 'binary'` of fast-check, which builds a table of a million characters: 1.5 s of CPU time and 100 MB in
 * each worker.
 */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter(code => code < 0xd800 || code > 0xdfff)
  .map(code => String.fromCodePoint(code))

export const anyText = (limits: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: fc.string({ ...limits, unit: anyCharacter }), weight: 4 },
    // ASCII with names such as __proto__.
    { arbitrary: fc.string(limits), weight: 1 },
  )
