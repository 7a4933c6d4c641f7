// A page: its title and actions, and its content below. A detail is beside the content on wide screens and covers it on
// narrow ones.

import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useKeys } from '../shell/keys.js'
import { usePageTitle } from '../shell/title.js'
import styles from './page.module.css'

export interface PageProps {
  readonly title: ReactNode
  /** For the tab of the browser and the breadcrumbs, where it differs from the title. */
  readonly name?: string
  readonly figures?: ReactNode
  readonly actions?: ReactNode
  /** Under the title; it does not scroll with the content. */
  readonly tools?: ReactNode
  readonly children: ReactNode
  readonly side?: ReactNode
  /** Hides everything but the title and loading states, so that nothing moves when the data arrives. */
  readonly isLoading?: boolean
  /** The content scrolls on its own: a long list. */
  readonly fixed?: boolean
}

export function Page({
  title,
  name,
  figures,
  actions,
  tools,
  children,
  side,
  fixed = false,
  isLoading,
}: PageProps) {
  usePageTitle(name ?? (typeof title === 'string' ? title : undefined))
  return (
    <div className={styles.both} data-side={side ? '' : undefined}>
      <section
        className={styles.page}
        data-fixed={fixed ? '' : undefined}
        data-loading={isLoading || undefined}
      >
        <header className={styles.head}>
          <div className={styles.line}>
            <h1>{title}</h1>
            {actions ? <div className={styles.actions}>{actions}</div> : null}
          </div>
          {figures ? <div className={styles.figures}>{figures}</div> : null}
          {tools}
        </header>
        <div className={styles.body}>{children}</div>
      </section>
      {side}
    </div>
  )
}

export interface SideProps {
  readonly label: string
  readonly onClose: () => void
  readonly head?: ReactNode
  readonly isLoading?: boolean
  /** Shows the previous or the next one of the list. */
  readonly onStep?: ((by: 1 | -1) => void) | undefined
  readonly children: ReactNode
}

export function Side({ label, onClose, head, isLoading = false, onStep, children }: SideProps) {
  const group = 'Detail'
  useKeys([
    { keys: 'Escape', label: 'Close the detail', group, run: onClose },
    ...(onStep
      ? [
          { keys: '[', label: 'Previous', group, run: () => onStep(-1) },
          { keys: ']', label: 'Next', group, run: () => onStep(1) },
        ]
      : []),
  ])
  return (
    <aside className={styles.side} aria-label={label} data-loading={isLoading || undefined}>
      <div className={styles.sideHead}>
        <div className={styles.sideTitle}>{head}</div>
        <button type="button" className={styles.close} aria-label="Close the detail" onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </button>
      </div>
      <div className={styles.sideBody}>{children}</div>
    </aside>
  )
}

/** 100,000 runs · 9,870 denied */
export const Figure = ({ value, children }: { readonly value: string; readonly children: ReactNode }) => (
  <span className={styles.figure}>
    <strong>{value}</strong> {children}
  </span>
)
