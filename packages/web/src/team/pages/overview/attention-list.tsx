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
  if (items.length === 0) return isKnown ? <p className={styles.calm}>Nothing needs attention.</p> : null
  return (
    <section aria-label="Needs attention">
      <ul className="stack">
        {items.map(({ tone, words, more, link }) => (
          <li key={`${words} ${more}`}>
            <Link {...link} className={styles.item} data-tone={tone}>
              <strong>{line(words)}</strong> <span>{line(more)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
