// No such page, a page that broke, and a page whose file is gone because the server was replaced meanwhile.

import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../parts/button.js'
import { Empty } from '../parts/states.js'

export const NotHere = () => (
  <Empty title="There is no such page" action={<a href="/">To the first page</a>}>
    The link may be mistyped, or from another version.
  </Empty>
)

const RELOADED = 'holdfast.reloaded'
const isMissingFile = (message: string) => /dynamically imported module|module script|preload/i.test(message)

export function PageFailed({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { message } = error instanceof Error ? error : { message: String(error) }
  const missing = isMissingFile(message)
  useEffect(() => {
    // Once, and never in a circle.
    if (!missing || sessionStorage.getItem(RELOADED) === location.pathname) return
    sessionStorage.setItem(RELOADED, location.pathname)
    location.reload()
  }, [missing])
  return (
    <Empty
      title={missing ? 'This page is from an older version' : 'This page broke'}
      action={
        <Button onClick={() => (missing ? location.reload() : void router.invalidate())}>
          {missing ? 'Load it anew' : 'Try again'}
        </Button>
      }
    >
      {missing ? 'The server was replaced while it was open.' : message}
    </Empty>
  )
}
