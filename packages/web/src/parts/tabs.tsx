// Pages beside each other under one title, each with an address of its own.

import { Link } from '@tanstack/react-router'
import styles from './tabs.module.css'

export interface Tab {
  readonly to: string
  readonly label: string
  readonly count?: string | undefined
}

export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) => (
  <nav className={styles.tabs} aria-label={label}>
    {tabs.map(({ to, label, count }) => (
      <Link
        key={to}
        to={to}
        className={styles.tab}
        activeOptions={{ exact: true, includeSearch: false }}
        activeProps={{ 'aria-current': 'page' }}
      >
        {label}
        {count ? <span className={styles.count}>{count}</span> : null}
      </Link>
    ))}
  </nav>
)
