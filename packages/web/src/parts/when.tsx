import { useEffect, useState } from 'react'
import { ago, whole } from '../words/time.js'

/** 5 min ago, updated with the clock; the exact time is a tooltip. */
export function When({ at, never = 'never' }: { readonly at: string; readonly never?: string }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick(count => count + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
  if (at === '') return <span className="muted">{never}</span>
  return (
    <time dateTime={at} title={whole(at)}>
      {ago(at)}
    </time>
  )
}
