import type { ReactNode } from 'react'
import styles from './badge.module.css'

/** A word on a tinted background. `plain`: without it, for what needs no attention. */
export const Badge = ({
  tone,
  plain = false,
  children,
}: {
  readonly tone: string
  readonly plain?: boolean
  readonly children: ReactNode
}) => (
  <span className={styles.badge} data-tone={tone} data-plain={plain || undefined}>
    {children}
  </span>
)
