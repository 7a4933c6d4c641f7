import type { RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Bone, Cell } from '../../../parts/cells.js'
import { isBlank, isGap, type Row } from '../../../parts/feed/list.js'
import { Verdict } from '../../../parts/verdict.js'
import { line } from '../../../words/plain.js'
import { span, stamp, whole } from '../../../words/time.js'
import styles from './runs.module.css'

const HEAD = [
  ['time', 'Time'],
  ['verdict', 'Verdict'],
  ['event', 'Event'],
  ['hook', 'Hook'],
  ['source', 'Source'],
  ['subject', 'Subject'],
  ['took', 'Took'],
  ['exit', 'Exit'],
] as const

export const columns = styles.columns!

export const head = HEAD.map(([name, label]) => (
  <Cell key={name} head className={cellClass(name)}>
    {label}
  </Cell>
))

function cellClass(name: (typeof HEAD)[number][0]): string {
  const right = name === 'took' || name === 'exit' ? styles.number : ''
  return `${styles[name] ?? ''} ${right}`
}

export function drawRun(row: Row<RunSummary>) {
  if (isBlank(row)) return <Bone />
  if (isGap(row)) {
    return <Cell className={styles.across}>Some runs are missing here: too many came at once. Read anew</Cell>
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
      <Cell className={styles.hook} title={line(row.hook)}>
        {line(row.hook)}
      </Cell>
      <Cell className={`${styles.source} ${styles.quiet}`}>{line(row.source)}</Cell>
      <Cell className={`mono ${styles.subject}`} title={line(row.subject)}>
        {line(row.subject)}
      </Cell>
      <Cell className={cellClass('took')}>{span(row.durationMs)}</Cell>
      <Cell className={cellClass('exit')}>{row.exitCode === undefined ? '–' : row.exitCode}</Cell>
    </>
  )
}
