// Problems: what is wrong, where, and how to fix it.

import type { Problem } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { line } from '../../../words/plain.js'
import styles from './hooks.module.css'

export interface ProblemListProps {
  readonly problems: readonly Problem[]
  readonly label: string
  /** The short name of a file. */
  readonly shown?: string | undefined
}

export const ProblemList = ({ problems, label, shown }: ProblemListProps) => (
  <ul className={styles.problems} aria-label={label}>
    {problems.map((problem, index) => (
      <li
        key={`${problem.code} ${problem.line} ${index}`}
        className={styles.problem}
        data-severity={problem.severity}
      >
        <span className={styles.severity}>{problem.severity}</span>
        <span className={styles.what}>
          <span>{line(problem.message)}</span>
          {problem.hint ? <span className={styles.hint}>{line(problem.hint)}</span> : null}
          {problem.file || shown ? (
            <span className={styles.place}>
              {line(shown ?? problem.file)}
              {problem.line > 0 ? `:${problem.line}` : ''}
            </span>
          ) : null}
        </span>
      </li>
    ))}
  </ul>
)
