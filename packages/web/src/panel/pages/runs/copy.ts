import { useEffect, useState } from 'react'

const SHOWN_MS = 4000

/** Copies, and reports the result for a moment. */
export function useCopy(): readonly [
  said: string,
  copy: (text: string | Promise<string>, done: string) => void,
] {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (!said) return
    const timer = setTimeout(() => setSaid(''), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = (text: string | Promise<string>, done: string) => {
    Promise.resolve(text)
      .then(words => navigator.clipboard.writeText(words))
      .then(
        () => setSaid(done),
        error => setSaid(`Copying failed: ${error instanceof Error ? error.message : error}`),
      )
  }
  return [said, copy]
}
