import type { RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Bone, Cell } from '../../../parts/cells.js'
import { isBlank, isGap, type Row } from '../../../parts/feed/list.js'
import { Verdict, VerdictMark } from '../../../parts/verdict.js'
import { line } from '../../../words/plain.js'
import { span, stamp, whole } from '../../../words/time.js'
import styles from './runs.module.css'

const HEAD = [
  ['time', 'Time'],
  ['verdict', 'Verdict'],
  ['event', 'Event'],
  ['subject', 'Subject'],
  ['hooks', 'Hooks'],
  ['took', 'Took'],
] as const

export const columns = styles.columns!

export const head = HEAD.map(([name, label]) => (
  <Cell key={name} head className={`${styles[name] ?? ''} ${name === 'took' ? styles.number : ''}`}>
    {label}
  </Cell>
))

/** An event is one row; its hooks are nested in a cell, the one that decided first. */
export function drawRun(row: Row<RunSummary>) {
  if (isBlank(row)) return <Bone />
  if (isGap(row)) {
    return (
      <Cell className={styles.across}>
        Some runs are missing here: too many came at once. Open to reload.
      </Cell>
    )
  }
  return (
    <>
      <Cell className={`${styles.time} ${styles.quiet}`} title={whole(row.at)}>
        {stamp(row.at)}
      </Cell>
      <Cell className={styles.verdict}>
        <Verdict name={row.verdict} />
      </Cell>
      <Cell className={styles.event}>{line(row.event)}</Cell>
      <Cell className={`mono ${styles.subject}`} title={line(row.subject)}>
        {line(row.subject)}
      </Cell>
      <Cell
        className={styles.hooks}
        title={row.hooks.map(({ source, hook }) => `${line(source)} ${line(hook)}`).join('\n')}
      >
        {row.hooks.map(({ id, hook, verdict }) => (
          <span key={id} className={styles.hookRun}>
            <VerdictMark name={verdict} />
            {line(hook)}
          </span>
        ))}
      </Cell>
      <Cell className={`${styles.took} ${styles.number}`}>{span(row.durationMs)}</Cell>
    </>
  )
}
