/** So long, who comes back finds the same list. */
const SAME_MS = 10 * 60_000
let looked = { words: '', at: 0 }

/** When these words were chosen: "the last hour" is counted from then, and does not run away under the reader. */
export function lookedAt(words: string): number {
  if (looked.words !== words || Date.now() - looked.at > SAME_MS) looked = { words, at: Date.now() }
  return looked.at
}
