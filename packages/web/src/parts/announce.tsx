// Announces the number of waiting rows to screen readers, at most every ten seconds.

import { useEffect, useRef, useState } from 'react'
import { count } from '../words/number.js'

const LEAST_MS = 10_000

/** `what` names one of them: "new run". */
export function Announce({ waiting, what }: { readonly waiting: number; readonly what: string }) {
  const [words, setWords] = useState('')
  const saidAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (waiting === 0) return setWords('')
    const timer = setTimeout(
      () => {
        saidAt.current = Date.now()
        setWords(`${count(waiting, what)} waiting`)
      },
      Math.max(0, saidAt.current + LEAST_MS - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [waiting, what])
  return (
    <span className="hidden" role="status">
      {words}
    </span>
  )
}
