// The known name that someone probably meant.

import { editDistance } from '../protocol/edit-distance.js'

/** Same letters in another spelling first (`fail_closed`, `LoopLimit`), then few typing errors apart. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length > 60) return undefined
  const bare = strip(word)
  const sameLetters = names.find(name => strip(name) === bare)
  if (sameLetters !== undefined) return sameLetters
  let best: string | undefined
  let bestDistance = Math.floor(Math.max(word.length, 3) / 3) + 1
  for (const name of names) {
    const distance = Math.min(editDistance(bare, strip(name)), shortened(bare, strip(name)))
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

const strip = (word: string) => word.replace(/[_\-\s]/g, '').toLowerCase()

/** `beforeShell` for `beforeShellExecution` counts as one error, if enough of the name is there. */
const shortened = (word: string, name: string) => (word.length >= 5 && name.startsWith(word) ? 1 : Infinity)
