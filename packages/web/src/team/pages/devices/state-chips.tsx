import type { StateCount } from '@holdfast/team/messages'
import { figure } from '../../../words/number.js'
import styles from './state-chips.module.css'
import { STATE_NAMES, STATES } from './state-words.js'

/** One state, or all that are enrolled; with how many there are of each. */
export function StateChips({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: readonly StateCount[] | undefined
  readonly chosen: string
  readonly onChoose: (state: string) => void
}) {
  const countOf = (state: string) => counts?.find(count => count.state === state)?.count ?? 0
  const shown = STATES.filter(state => countOf(state) > 0 || state === chosen)
  return (
    <div className={styles.chips} role="group" aria-label="State">
      {shown.map(state => (
        <button
          key={state}
          type="button"
          className={styles.chip}
          aria-pressed={state === chosen}
          onClick={() => onChoose(state === chosen ? '' : state)}
        >
          {STATE_NAMES[state]} <span className={styles.count}>{counts ? figure(countOf(state)) : ''}</span>
        </button>
      ))}
    </div>
  )
}
