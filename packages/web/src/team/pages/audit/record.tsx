// One record: its event, the hook that ran, the verdict, and where it came from.

import { useQuery } from '@connectrpc/connect-query'
import { AuditService, type Record } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../../parts/copy.js'
import { type Fact, Facts } from '../../../parts/facts.js'
import { LongText } from '../../../parts/long-text.js'
import { Side } from '../../../parts/page.js'
import { PathView, pathOfRecord } from '../../../parts/path.js'
import { Fold, pretty } from '../../../parts/path-text.js'
import { Region } from '../../../parts/states.js'
import { Verdict } from '../../../parts/verdict.js'
import { asList } from '../../../shell/search.js'
import { hookName } from '../../../words/hook.js'
import { line, lines } from '../../../words/plain.js'
import { stamp, whole } from '../../../words/time.js'
import { toDevice, toRelease, toRevision } from '../../links.js'
import type { AuditSearch } from './audit-filter.js'
import { shownVerdict } from './columns.js'
import styles from './record.module.css'

const LONGEST = 4000

export interface RecordSideProps {
  readonly id: string
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
  readonly onNarrow: (change: { readonly [name in keyof AuditSearch]?: string | undefined }) => void
}

export function RecordSide({ id, onClose, onStep, onNarrow }: RecordSideProps) {
  const record = useQuery(AuditService.method.getRecord, { id }, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <Side
      label="Record"
      onStep={onStep}
      isLoading={record.isLoading}
      onClose={onClose}
      head={<RecordHead record={record.data?.record} />}
    >
      <Region of={record}>
        {({ record }) => (record ? <Whole record={record} onNarrow={onNarrow} /> : null)}
      </Region>
    </Side>
  )
}

const RecordHead = ({ record }: { readonly record: Record | undefined }) =>
  record ? (
    <>
      <div className={styles.top}>
        <Verdict name={shownVerdict(record)} />
        <span className={styles.event}>{line(record.event)}</span>
        <time className="muted" dateTime={record.at} title={whole(record.at)}>
          {stamp(record.at)}
        </time>
      </div>
      <p className={`mono ${styles.about}`}>{lines(record.summary.slice(0, LONGEST))}</p>
    </>
  ) : (
    <span className="muted">Record</span>
  )

function Whole({
  record,
  onNarrow,
}: {
  readonly record: Record
  readonly onNarrow: RecordSideProps['onNarrow']
}) {
  const path = pathOfRecord(record.bodyJson)
  return (
    <div className="stack-wide">
      {path && record.hook ? <PathView path={path} /> : null}
      <Facts facts={factsOf(record, onNarrow)} />
      <Fold label="Raw JSON">
        {() => (
          <>
            <LongText
              label="The record"
              text={pretty(record.bodyJson)}
              file={`record-${record.id}.json`}
              isJson
            />
            <CopyButton label="the record" text={record.bodyJson} />
          </>
        )}
      </Fold>
    </div>
  )
}

const factsOf = (record: Record, onNarrow: RecordSideProps['onNarrow']): (Fact | null)[] => [
  [
    'Device',
    <Link key="device" {...toDevice(record.deviceId)}>
      {line(record.deviceName || record.deviceId)}
    </Link>,
  ],
  record.deviceOwner
    ? [
        'Person',
        <button
          key="owner"
          type="button"
          className={styles.link}
          onClick={() => onNarrow({ owner: asList([record.deviceOwner]) })}
        >
          {line(record.deviceOwner)}
        </button>,
      ]
    : null,
  record.release > 0
    ? [
        'Release',
        <Link key="release" {...toRelease(record.release)}>
          {record.release}
        </Link>,
      ]
    : null,
  record.hookId > 0 && record.revision > 0
    ? [
        'Hook',
        <Link key="revision" {...toRevision(record.hookId, record.revision)} title={line(record.hook)}>
          {line(hookName(record.hook))}, revision {record.revision}
        </Link>,
      ]
    : null,
  record.observed ? ['Mode', 'Observe: the verdict was recorded and not enforced.'] : null,
  record.conversationId
    ? [
        'Session',
        <button
          key="session"
          type="button"
          className={styles.link}
          onClick={() => onNarrow({ conversation: record.conversationId })}
        >
          Show the records of this session
        </button>,
      ]
    : null,
  ['Received', whole(record.receivedAt)],
  record.clockSkew
    ? [
        'Clock',
        'The clock of the device differs from the clock of the server. The time is that of the device.',
      ]
    : null,
  ['Id', <code key="id">{line(record.id)}</code>],
]
