// No such page, a page that broke, and a page whose file cannot be had: the server is gone, or was replaced meanwhile.

import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../parts/button.js'
import { Empty } from '../parts/states.js'
import { lines } from '../words/plain.js'
import { doesAnswer, isMissingFile } from './page-file.js'

export const NotHere = () => (
  <Empty title="There is no such page" action={<a href="/">To the first page</a>}>
    The link may be mistyped, or from another version.
  </Empty>
)

export function PageFailed({ error }: ErrorComponentProps) {
  const router = useRouter()
  if (isMissingFile(error)) return <FileMissing />
  return (
    <Empty
      title="This page broke"
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
    // What is on the screen is better than what a browser says about a server that is not there.
    if (!(await doesAnswer())) return
    setGone(false)
    // Once, and never in a circle.
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
    <Empty title="The server does not answer" action={<Button onClick={() => void look()}>Try again</Button>}>
      This page is loaded as soon as it does.
    </Empty>
  ) : (
    <Empty
      title="This page is from an older version"
      action={<Button onClick={() => location.reload()}>Reload</Button>}
    >
      The server was replaced while it was open.
    </Empty>
  )
}
