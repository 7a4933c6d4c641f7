import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { PeopleService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { setOver, useIsOver } from '../shell/session.js'
import styles from '../shell/session-over.module.css'
import { useTeam } from './context.js'

/** Above the page when the session is over; it goes by itself when the person has signed in in the other tab. */
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
      // Somebody else may do other things: everything is asked anew.
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
    <div className={styles.notice} role="alert">
      <strong>Your session is over.</strong>
      <span>What you typed is still here.</span>
      <a href="/sign-in?next=/signed-in" target="_blank" rel="noopener">
        Sign in in a new tab, then come back
      </a>
    </div>
  )
}
