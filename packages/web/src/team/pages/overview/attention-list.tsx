import { Link } from '@tanstack/react-router'
import { line } from '../../../words/plain.js'
import type { Attention } from './attention.js'
import styles from './attention-list.module.css'

export function AttentionList({
  items,
  isKnown,
}: {
  readonly items: readonly Attention[]
  readonly isKnown: boolean
}) {
  if (items.length === 0) return isKnown ? <p className={styles.calm}>Nothing needs you.</p> : null
  return (
    <section aria-label="What needs you">
      <ul className={styles.items}>
        {items.map(({ tone, words, more, to, search }) => (
          <li key={`${words} ${more}`}>
            <Link to={to as never} search={search as never} className={styles.item} data-tone={tone}>
              <strong>{line(words)}</strong> <span>{line(more)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
