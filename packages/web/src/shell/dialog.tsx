// A native dialog: it traps focus, closes with Esc, and returns focus to its opener.

import { type ReactNode, useEffect, useRef } from 'react'
import styles from './dialog.module.css'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** The title is for screen readers only. */
  readonly quiet?: boolean
  readonly wide?: boolean
}

export function Dialog({ title, onClose, children, quiet = false, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current!
    const opener = document.activeElement as HTMLElement | null
    if (!element.open) element.showModal()
    return () => {
      element.close()
      opener?.focus?.()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={wide ? `${styles.dialog} ${styles.wide}` : styles.dialog}
      aria-label={title}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onClick={event => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div className={styles.inner}>
        {quiet ? null : <h2 className={styles.title}>{title}</h2>}
        {children}
      </div>
    </dialog>
  )
}
