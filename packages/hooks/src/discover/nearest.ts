// The known name that someone probably meant.

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

/** Insertions, deletions, replacements and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
