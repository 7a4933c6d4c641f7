// Going away with text that is not saved.

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
      <p className="muted">What you typed is not saved.</p>
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
          Leave, drop the changes
        </Button>
      </div>
    </Dialog>
  )
}
