// Detects whether a text is about production. It matches words: "reproduction" and "product" do not count.

const WORD = /(?<![a-z])(?:prod(?:uction)?|prd)(?![a-z])/
/** A comparison with production, such as "production-like", is not production. */
const HARMLESS = /(?<![a-z])production[- ](?:ready|grade|quality|like|build)(?![a-z])/g

/** The words around the first match, for the message; undefined if there is none. */
export function mentionsProduction(text: string): string | undefined {
  const plain = text
    // Full-width and other look-alike letters, and invisible characters.
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
