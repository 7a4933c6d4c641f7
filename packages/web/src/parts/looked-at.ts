/** Going back within this time shows the same list. */
const SAME_MS = 10 * 60_000
let looked = { words: '', at: 0 }

/** When this range was chosen: relative ranges end there, so that the list does not move under the reader. */
export function lookedAt(words: string): number {
  if (looked.words !== words || Date.now() - looked.at > SAME_MS) looked = { words, at: Date.now() }
  return looked.at
}
