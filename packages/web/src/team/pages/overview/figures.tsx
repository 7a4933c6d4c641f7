import type { Figures, GetOverviewResponse } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { figure } from '../../../words/number.js'
import styles from './figures.module.css'
import { change, type Span } from './since.js'

const CARDS = [
  { name: 'runs', label: 'Runs of hooks', verdict: undefined },
  { name: 'denials', label: 'Denied', verdict: 'deny' },
  { name: 'asks', label: 'Asked', verdict: 'ask' },
  { name: 'failedOpen', label: 'Failed open', verdict: 'failed_open' },
] as const

/** Four figures, each with a link to its records. */
export function FigureCards({
  overview,
  span,
}: {
  readonly overview: GetOverviewResponse
  readonly span: Span
}) {
  const amountOf = (figures: Figures | undefined, name: (typeof CARDS)[number]['name']) =>
    figures?.[name] ?? 0
  return (
    <ul className={styles.cards} aria-label="Figures">
      {CARDS.map(({ name, label, verdict }) => {
        const now = amountOf(overview.now, name)
        const before = amountOf(overview.before, name)
        return (
          <li key={name}>
            <Link
              to="/audit"
              search={{ range: span.name, ...(verdict ? { verdict } : {}) }}
              className={styles.card}
              data-name={now > 0 ? name : undefined}
            >
              <span className={styles.label}>{label}</span>
              <span className={styles.value}>{figure(now)}</span>
              <span className={styles.change} title={`Previous ${span.label}: ${figure(before)}`}>
                {(overview.before?.runs ?? 0) === 0 ? `in ${span.label}` : change(now, before)}
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
