/** Runs at most once in this many milliseconds; the first time almost immediately. */
export function atMostEvery(ms: number, run: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(
      () => {
        isDue = false
        last = Date.now()
        run()
      },
      Math.max(100, last + ms - Date.now()),
    )
  }
}
