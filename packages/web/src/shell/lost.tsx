// Pages for errors: an unknown address, a failed page, and a missing file after the server stopped or was replaced.

import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../parts/button.js'
import { Empty } from '../parts/states.js'
import { lines } from '../words/plain.js'
import { doesAnswer, isMissingFile } from './page-file.js'

export const NotHere = () => (
  <Empty title="Page not found" action={<a href="/">Go to the start page</a>}>
    Check the address, or search with Ctrl K.
  </Empty>
)

export function PageFailed({ error }: ErrorComponentProps) {
  const router = useRouter()
  if (isMissingFile(error)) return <FileMissing />
  return (
    <Empty
      title="This page failed"
      action={<Button onClick={() => void router.invalidate()}>Try again</Button>}
    >
      {lines(error instanceof Error ? error.message : String(error))}
    </Empty>
  )
}

const RELOADED = 'holdfast.reloaded'
const AGAIN_MS = 5000

function FileMissing() {
  const [isGone, setGone] = useState(true)
  const look = async () => {
    // The current page is more useful than the error page of the browser.
    if (!(await doesAnswer())) return
    setGone(false)
    // Once, so that reloading cannot loop.
    if (sessionStorage.getItem(RELOADED) === location.pathname) return
    sessionStorage.setItem(RELOADED, location.pathname)
    location.reload()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each failure, then by the clock.
  useEffect(() => {
    void look()
    if (!isGone) return
    const timer = setInterval(() => void look(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [isGone])
  return isGone ? (
    <Empty
      title="The server does not respond"
      action={<Button onClick={() => void look()}>Try again</Button>}
    >
      The page loads as soon as the server responds.
    </Empty>
  ) : (
    <Empty title="This page is outdated" action={<Button onClick={() => location.reload()}>Reload</Button>}>
      The server was updated. Reload to continue.
    </Empty>
  )
}
