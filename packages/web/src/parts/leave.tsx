// Asks before a page with unsaved text is left.

import { useBlocker } from '@tanstack/react-router'
import { Dialog } from '../shell/dialog.js'
import { Button } from './button.js'

export function AskBeforeLeaving({
  isDirty,
  onLeave,
}: {
  readonly isDirty: () => boolean
  readonly onLeave?: () => void
}) {
  const blocker = useBlocker({ shouldBlockFn: isDirty, enableBeforeUnload: isDirty, withResolver: true })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <div className="stack-loose">
        <p className="muted">Your changes exist only in this tab.</p>
        <div className="row">
          <Button kind="primary" onClick={blocker.reset}>
            Stay
          </Button>
          <Button
            kind="danger"
            onClick={() => {
              onLeave?.()
              blocker.proceed()
            }}
          >
            Discard and leave
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
