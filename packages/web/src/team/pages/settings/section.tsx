import type { ReactNode } from 'react'
import styles from './section.module.css'

/** One group of settings with its purpose; each is saved separately. */
export const Section = ({
  title,
  about,
  danger = false,
  children,
}: {
  readonly title: string
  readonly about?: ReactNode
  readonly danger?: boolean
  readonly children?: ReactNode
}) => (
  <section className={styles.section} data-danger={danger || undefined}>
    <h2>{title}</h2>
    {about ? <p className={styles.about}>{about}</p> : null}
    {children}
  </section>
)
