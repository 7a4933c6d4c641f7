// The problems that the check found; each leads to its line.

import type { Problem } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import styles from './edit.module.css'

export interface ProblemsProps {
  readonly problems: readonly Problem[]
  readonly errors: number
  /** They are of an earlier text. */
  readonly isOld: boolean
  readonly failed: string | null
  readonly onGo: (line: number) => void
}

export const Problems = ({ problems, errors, isOld, failed, onGo }: ProblemsProps) => (
  <section className={styles.problems} aria-labelledby="problems">
    <h2 id="problems" className={styles.problemsHead}>
      {failed ?? (problems.length === 0 ? 'No problems' : summary(problems.length, errors))}
      {isOld ? <span className="faint"> checking</span> : null}
    </h2>
    {problems.length > 0 ? (
      <ul>
        {problems.map((problem, index) => (
          <li key={`${problem.code} ${problem.line} ${index}`}>
            <button type="button" className={styles.problem} onClick={() => onGo(Math.max(1, problem.line))}>
              <span className={styles.at}>{problem.line > 0 ? problem.line : ''}</span>
              <span className={styles.severity} data-severity={problem.severity}>
                {problem.severity}
              </span>
              <span className={styles.what}>
                {line(problem.message)}{' '}
                {problem.hint ? <span className="muted">{line(problem.hint)}</span> : null}
              </span>
            </button>
          </li>
        ))}
      </ul>
    ) : null}
  </section>
)

const summary = (all: number, errors: number): string =>
  errors === all || errors === 0
    ? count(all, errors === 0 ? 'warning' : 'error')
    : `${count(errors, 'error')}, ${count(all - errors, 'warning')}`
