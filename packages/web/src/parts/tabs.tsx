// Pages under one title, each with its own address.

import { Link, type LinkProps } from '@tanstack/react-router'
import styles from './tabs.module.css'

export interface Tab extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  readonly label: string
  readonly count?: string | undefined
}

export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) => (
  <nav className={styles.tabs} aria-label={label}>
    {tabs.map(({ label, count, ...link }) => (
      <Link
        key={label}
        {...link}
        className={styles.tab}
        activeOptions={{ exact: true, includeSearch: link.search !== undefined }}
        activeProps={{ 'aria-current': 'page' }}
      >
        {label}
        {count ? <span className={styles.count}>{count}</span> : null}
      </Link>
    ))}
  </nav>
)
