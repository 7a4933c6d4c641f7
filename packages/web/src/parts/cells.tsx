// The cells of a long list, and the note over it.

import type { ReactNode } from 'react'
import styles from './rows.module.css'

/** A cell of a row or of the head. */
export const Cell = ({
  head = false,
  className,
  children,
  title,
}: {
  readonly head?: boolean
  readonly className?: string | undefined
  readonly children?: ReactNode
  readonly title?: string | undefined
}) => (
  <span
    role={head ? 'columnheader' : 'gridcell'}
    className={[styles.cell, className].filter(Boolean).join(' ')}
    title={title}
  >
    {children}
  </span>
)

/** In a row that is loading. */
export const Bone = () => <span role="gridcell" className={styles.bone} />

/** The text of a note, with its action. */
export const Strip = ({
  children,
  action,
  onAction,
}: {
  readonly children: ReactNode
  readonly action?: string
  readonly onAction?: () => void
}) => (
  <p className={styles.stripWords}>
    <span>{children}</span>
    {action ? (
      <button type="button" className={styles.stripButton} onClick={onAction}>
        {action}
      </button>
    ) : null}
  </p>
)
