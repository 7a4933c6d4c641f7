import type { SessionSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Cell } from '../../../parts/cells.js'
import { figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { ago, span, whole } from '../../../words/time.js'
import styles from './sessions.module.css'

export const columns = styles.columns!

const HEAD = [
  ['title', 'Session'],
  ['started', 'Started'],
  ['events', 'Events'],
  ['runs', 'Runs'],
  ['denied', 'Denied'],
  ['failed', 'Failed open'],
  ['waiting', 'Hook time'],
] as const

export const head = HEAD.map(([name, label]) => (
  <Cell
    key={name}
    head
    className={`${styles[name] ?? ''} ${name === 'title' || name === 'started' ? '' : styles.number}`}
    title={name === 'waiting' ? 'Time spent waiting on hooks' : undefined}
  >
    {label}
  </Cell>
))

const Count = ({ name, value, word }: { name: string; value: number; word?: string }) => (
  <Cell className={`${styles[name] ?? ''} ${styles.number} ${value > 0 && word ? styles.some : styles.none}`}>
    {figure(value)}
    {word ? <span className={styles.word}> {word}</span> : null}
  </Cell>
)

export const drawSession = (session: SessionSummary) => (
  <>
    <Cell className={styles.title} title={line(session.title)}>
      <span
        className={styles.dot}
        data-open={session.isOpen || undefined}
        title={session.isOpen ? 'Active' : 'Finished'}
      />
      <span className="hidden">{session.isOpen ? 'Active: ' : ''}</span>
      {line(session.title) || 'Untitled'}
    </Cell>
    <Cell className={`${styles.started} ${styles.quiet}`} title={whole(session.startedAt)}>
      {ago(session.startedAt)}
    </Cell>
    <Count name="events" value={session.events} />
    <Count name="runs" value={session.runs} />
    <Count name="denied" value={session.denied} word="denied" />
    <Count name="failed" value={session.failedOpen} word="failed open" />
    <Cell className={`${styles.waiting} ${styles.number}`}>{span(session.hooksMs)}</Cell>
  </>
)
