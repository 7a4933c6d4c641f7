// A confirmation before an action that cannot be undone, or that needs a reason. It shows why the action failed, and never
// runs it twice.

import { ConnectError } from '@connectrpc/connect'
import { type ReactNode, useRef, useState } from 'react'
import { Dialog } from '../shell/dialog.js'
import { Button } from './button.js'
import styles from './confirm.module.css'
import { TextField, Wrong } from './fields.js'

export interface ConfirmProps {
  readonly title: string
  /** The label of the button: the action. */
  readonly action: string
  readonly kind?: 'primary' | 'danger'
  readonly onClose: () => void
  /** The dialog stays open when it fails. */
  readonly onConfirm: () => Promise<unknown>
  /** A text to type first, for actions that affect all devices. */
  readonly typed?: string
  /** Why the action is not possible yet: a field is empty. */
  readonly because?: string | undefined
  readonly children?: ReactNode
  /** Below the buttons: another way. */
  readonly foot?: ReactNode
}

export function Confirm(props: ConfirmProps) {
  const { title, action, kind = 'danger', onClose, onConfirm, typed, because, children, foot } = props
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const isUnder = useRef(false)
  const missing = typed !== undefined && text.trim() !== typed ? `Type “${typed}” first.` : because
  const go = async () => {
    if (isUnder.current || missing !== undefined) return
    isUnder.current = true
    setBusy(true)
    setWrong('')
    try {
      await onConfirm()
    } catch (error) {
      setWrong(ConnectError.from(error).rawMessage || 'The server did not respond. Try again.')
    } finally {
      isUnder.current = false
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          void go()
        }}
      >
        {children}
        {typed === undefined ? null : (
          <TextField
            label={`Type “${typed}” to confirm`}
            value={text}
            onChange={setText}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Wrong>{wrong}</Wrong>
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={kind} busy={busy} because={missing}>
            {action}
          </Button>
        </div>
      </form>
      {foot}
    </Dialog>
  )
}

/** What to do next, or what is shown only once. */
export const Info = ({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}) => (
  <Dialog title={title} onClose={onClose}>
    <div className={styles.form}>
      {children}
      <div className={styles.actions}>
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  </Dialog>
)
