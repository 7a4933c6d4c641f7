// A question before something that cannot be taken back, or that asks for a few words first. It says what went wrong where
// it was asked, and does nothing twice.

import { ConnectError } from '@connectrpc/connect'
import { type ReactNode, useRef, useState } from 'react'
import { Dialog } from '../shell/dialog.js'
import { Button } from './button.js'
import styles from './confirm.module.css'
import { TextField, Wrong } from './fields.js'

export interface ConfirmProps {
  readonly title: string
  /** What happens, as the button says it. */
  readonly action: string
  readonly kind?: 'primary' | 'danger'
  readonly onClose: () => void
  /** The dialog stays open when it fails. */
  readonly onConfirm: () => Promise<unknown>
  /** Must be typed first: for what touches everybody. */
  readonly typed?: string
  /** Why it cannot be done yet: a field is empty. */
  readonly because?: string | undefined
  readonly children?: ReactNode
}

export function Confirm(props: ConfirmProps) {
  const { title, action, kind = 'danger', onClose, onConfirm, typed, because, children } = props
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
      setWrong(ConnectError.from(error).rawMessage || 'The server did not answer. Try again.')
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
            label={`Type “${typed}” to go on`}
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
    </Dialog>
  )
}
