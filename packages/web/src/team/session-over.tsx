import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { PeopleService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Notice } from '../parts/notice.js'
import { setOver, useIsOver } from '../shell/session.js'
import { useTeam } from './context.js'

/** Shown above the page until the user has signed in in another tab. */
export function SessionOver() {
  const isOver = useIsOver()
  const { me, live } = useTeam()
  const transport = useTransport()
  const queries = useQueryClient()
  useEffect(() => {
    if (!isOver) return
    const look = async () => {
      if (document.visibilityState !== 'visible') return
      const { member } = await createClient(PeopleService, transport).whoAmI({})
      // Another user or role has other permissions: load everything again.
      if (member?.userId !== me.member?.userId || member?.role !== me.member?.role) return location.reload()
      setOver(false)
      live.retry()
      await queries.invalidateQueries()
    }
    const tryToLook = () => void look().catch(() => {})
    document.addEventListener('visibilitychange', tryToLook)
    addEventListener('focus', tryToLook)
    return () => {
      document.removeEventListener('visibilitychange', tryToLook)
      removeEventListener('focus', tryToLook)
    }
  }, [isOver, me, live, transport, queries])
  if (!isOver) return null
  return (
    <Notice tone="ask" isBanner role="alert">
      <strong>Your session has ended.</strong>
      <span>Unsaved changes are kept in this tab.</span>
      <a href="/sign-in?next=/signed-in" target="_blank" rel="noopener">
        Sign in in a new tab
      </a>
    </Notice>
  )
}
