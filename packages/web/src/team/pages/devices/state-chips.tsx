import type { Count } from '@holdfast/team/messages'
import styles from '../../../parts/filters.module.css'
import { figure } from '../../../words/number.js'
import { STATE_NAMES, STATES } from './state-words.js'

const GONE: readonly string[] = ['revoked', 'left']

/** Filters by one state, with the count of each. */
export function StateChips({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: readonly Count[] | undefined
  readonly chosen: string
  readonly onChoose: (state: string) => void
}) {
  const countOf = (state: string) => counts?.find(({ name }) => name === state)?.count ?? 0
  // Devices that have left are not counted.
  const shown = STATES.filter(state => GONE.includes(state) || countOf(state) > 0 || state === chosen)
  return (
    <div className={styles.chips} role="group" aria-label="State">
      {shown.map(state => (
        <button
          key={state}
          type="button"
          className={styles.chip}
          aria-pressed={state === chosen}
          data-set={state === chosen || undefined}
          onClick={() => onChoose(state === chosen ? '' : state)}
        >
          {STATE_NAMES[state]}{' '}
          {counts && !GONE.includes(state) ? (
            <span className={styles.count}>{figure(countOf(state))}</span>
          ) : null}
        </button>
      ))}
    </div>
  )
}
