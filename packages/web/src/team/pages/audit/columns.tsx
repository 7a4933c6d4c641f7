import type { Record } from '@holdfast/team/messages'
import { Bone, Cell } from '../../../parts/cells.js'
import { isItem, type Row } from '../../../parts/feed/list.js'
import { Verdict } from '../../../parts/verdict.js'
import { hookName } from '../../../words/hook.js'
import { line } from '../../../words/plain.js'
import { span, stamp, whole } from '../../../words/time.js'
import styles from './columns.module.css'

const HEAD = [
  ['time', 'Time'],
  ['verdict', 'Verdict'],
  ['event', 'Event'],
  ['hook', 'Hook'],
  ['subject', 'Subject'],
  ['device', 'Device'],
  ['took', 'Took'],
] as const

export const columns = styles.columns!

export const head = HEAD.map(([name, label]) => (
  <Cell key={name} head className={styles[name]}>
    {label}
  </Cell>
))

/** A record shows by itself whether it failed open or was in audit mode; a list shows the one relevant word. */
export const shownVerdict = ({ verdict, failedOpen, observed }: Record): string =>
  failedOpen ? 'failed_open' : observed && verdict === 'deny' ? 'observed_deny' : verdict

export const drawRecord = (row: Row<Record>) => (isItem(row) ? <Cells record={row} /> : <Bone />)

const Cells = ({ record }: { readonly record: Record }) => (
  <>
    <Cell className={styles.time} title={whole(record.at)}>
      {stamp(record.at)}
    </Cell>
    <Cell className={styles.verdict}>
      <Verdict name={shownVerdict(record)} />
    </Cell>
    <Cell className={styles.event}>{line(record.event)}</Cell>
    <Cell className={styles.hook} title={line(record.hook)}>
      {line(hookName(record.hook))}
    </Cell>
    <Cell className={`mono ${styles.subject}`} title={line(record.summary)}>
      {line(record.summary)}
    </Cell>
    <Cell
      className={styles.device}
      title={[record.deviceName || record.deviceId, record.deviceOwner].filter(Boolean).map(line).join(' · ')}
    >
      {line(record.deviceName || record.deviceId.slice(0, 8))}
    </Cell>
    <Cell className={styles.took}>{span(record.durationMs)}</Cell>
  </>
)
