// Short lists. Each row links to its records.

import type { GetOverviewResponse } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { asList } from '../../../shell/search.js'
import { hookName } from '../../../words/hook.js'
import { count, figure, percent } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { span } from '../../../words/time.js'
import card from '../overview.module.css'
import styles from './lists.module.css'

const MOST = 6
/** The longest text that the server searches for. */
const LONGEST_SEARCH = 200

interface ShortListProps {
  readonly overview: GetOverviewResponse
  readonly range: string
}

export const Slowest = ({ overview, range }: ShortListProps) => (
  <List
    title="Slowest hooks"
    hint="p95"
    empty="No hook ran in this time."
    rows={overview.slowest.slice(0, MOST).map(({ hook, label, p50Ms, p95Ms, runs }) => ({
      name: hook,
      label: label || hookName(hook),
      value: span(p95Ms),
      more: `p50 ${span(p50Ms)}, ${count(runs, 'run')}`,
      search: { hook: asList([hook])!, range },
    }))}
  />
)

export const MostDenied = ({ overview, range }: ShortListProps) => (
  <List
    title="Most denied"
    hint="times"
    empty="Nothing was denied in this time."
    rows={overview.topDenied.slice(0, MOST).map(({ name, count: times }) => ({
      name: name || 'without a summary',
      mono: true,
      value: figure(times),
      search: { verdict: 'deny', q: name.slice(0, LONGEST_SEARCH), range },
    }))}
  />
)

export const Failing = ({ overview, range }: ShortListProps) => (
  <List
    title="Failing hooks"
    hint="failed runs"
    empty="No hook failed in this time."
    rows={overview.failing.slice(0, MOST).map(({ hook, label, failures, runs }) => ({
      name: hook,
      label: label || hookName(hook),
      value: percent(runs === 0 ? 0 : failures / runs),
      more: `${figure(failures)} of ${count(runs, 'run')}`,
      search: { hook: asList([hook])!, verdict: 'failed,failed_open', range },
    }))}
  />
)

interface ListRow {
  readonly name: string
  /** Shorter than the name. */
  readonly label?: string
  readonly mono?: boolean
  readonly value: ReactNode
  readonly more?: string
  readonly search: Readonly<Record<string, string>>
}

const List = ({
  title,
  hint,
  empty,
  rows,
}: {
  readonly title: string
  readonly hint: string
  readonly empty: string
  readonly rows: readonly ListRow[]
}) => (
  <section className={card.card} aria-label={title}>
    <h2 className={styles.title}>
      {title} {rows.length > 0 ? <span className={styles.hint}>{hint}</span> : null}
    </h2>
    {rows.length === 0 ? <p className="muted">{empty}</p> : null}
    <ul>
      {rows.map(({ name, label, mono, value, more, search }) => (
        <li key={name}>
          <Link to="/audit" search={search} className={styles.row}>
            <span
              className={mono ? `${styles.name} mono` : styles.name}
              title={line(label && name.startsWith('#') ? label : name)}
            >
              {line(label ?? name)}
            </span>
            <span className={styles.value} title={more}>
              {value}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  </section>
)
