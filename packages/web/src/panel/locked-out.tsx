import { useEffect } from 'react'
import { Notice } from '../parts/notice.js'
import { useIsOver } from '../shell/session.js'
import { usePanel } from './context.js'
import { onEntryElsewhere } from './entry.js'

/** Shown above the page after the panel was restarted, until its new link was opened here. */
export function LockedOut() {
  const isOver = useIsOver()
  const { news } = usePanel()
  useEffect(() => (isOver ? onEntryElsewhere(news.retry) : undefined), [isOver, news])
  if (!isOver) return null
  return (
    <Notice tone="ask" isBanner role="alert">
      <strong>This page is locked out.</strong>
      <span>
        The panel was restarted. Open the link that <code>holdfast ui</code> prints in this browser, then
        return to this tab. Unsaved changes are kept.
      </span>
    </Notice>
  )
}
