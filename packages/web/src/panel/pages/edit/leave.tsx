// Asks before a page with unsaved text is left.

import { useBlocker } from '@tanstack/react-router'
import { Button } from '../../../parts/button.js'
import { Dialog } from '../../../shell/dialog.js'
import styles from './edit.module.css'

export function AskBeforeLeaving({
  isDirty,
  onLeave,
}: {
  readonly isDirty: () => boolean
  readonly onLeave: () => void
}) {
  const blocker = useBlocker({
    shouldBlockFn: isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <p className="muted">Your changes are not saved.</p>
      <div className={styles.foot}>
        <Button kind="primary" onClick={blocker.reset}>
          Stay
        </Button>
        <Button
          kind="danger"
          onClick={() => {
            onLeave()
            blocker.proceed()
          }}
        >
          Discard and leave
        </Button>
      </div>
    </Dialog>
  )
}
