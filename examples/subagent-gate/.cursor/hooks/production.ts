// Whether a text is about production. Words, not letters: "reproduction" and "product" are none.

const WORD = /(?<![a-z])(?:prod(?:uction)?|prd)(?![a-z])/
/** What is only as good as production is not production. */
const HARMLESS = /(?<![a-z])production[- ](?:ready|grade|quality|like|build)(?![a-z])/g

/** The words around the first one, for the message; undefined when there is none. */
export function mentionsProduction(text: string): string | undefined {
  const plain = text
    // Full-width and other dressed letters, and characters that nobody sees.
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    // myProdCluster
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(HARMLESS, ' ')
  const match = WORD.exec(plain)
  if (!match) return undefined
  const from = Math.max(0, match.index - 20)
  return plain
    .slice(from, match.index + 30)
    .replace(/\s+/g, ' ')
    .trim()
}
