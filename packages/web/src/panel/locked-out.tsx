import { useEffect } from 'react'
import { useIsOver } from '../shell/session.js'
import styles from '../shell/session-over.module.css'
import { usePanel } from './context.js'
import { onEntryElsewhere } from './entry.js'

/** Above the page when the panel behind it is another one now; it goes by itself when its new link was opened here. */
export function LockedOut() {
  const isOver = useIsOver()
  const { news } = usePanel()
  useEffect(() => (isOver ? onEntryElsewhere(news.retry) : undefined), [isOver, news])
  if (!isOver) return null
  return (
    <div className={styles.notice} role="alert">
      <strong>This page is locked out.</strong>
      <span>
        The panel was started anew. Open the link that <code>holdfast ui</code> prints in this browser, then
        come back: what you typed is still here.
      </span>
    </div>
  )
}
