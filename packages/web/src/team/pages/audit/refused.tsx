// Calls and sign-ins that the server refused, newest first: who, what, and why.

import { useRef } from 'react'
import { Bone, Cell } from '../../../parts/cells.js'
import { Facts } from '../../../parts/facts.js'
import { isItem, type Row } from '../../../parts/feed/list.js'
import { FeedRows } from '../../../parts/feed/rows.js'
import { Filters, SearchField } from '../../../parts/filters.js'
import { Page, Side } from '../../../parts/page.js'
import type { RowsHandle } from '../../../parts/rows.js'
import { Empty, Filtered } from '../../../parts/states.js'
import { Tabs } from '../../../parts/tabs.js'
import two from '../../../parts/two-lines.module.css'
import { showWaiting, waitingStrip } from '../../../parts/waiting.js'
import { useKeys } from '../../../shell/keys.js'
import { withTexts } from '../../../shell/search.js'
import { line, lines } from '../../../words/plain.js'
import { stamp, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { refusedCalls } from '../../routes.js'
import styles from './refused.module.css'
import { type Call, useRefused } from './refused-feed.js'
import { AUDIT_TABS } from './tabs.js'

export function RefusedCalls() {
  const mayNot = useMay('AuditService/ListRefusedCalls')
  // Who may not is not even asked for: that would be one more refused call.
  if (!mayNot) return <Listed />
  return (
    <Page title="Audit" tools={<Tabs label="Audit" tabs={AUDIT_TABS} />}>
      <Empty title="Not with your role">{mayNot}</Empty>
    </Page>
  )
}

function Listed() {
  const search = refusedCalls.useSearch()
  const navigate = refusedCalls.useNavigate()
  const list = useRef<RowsHandle>(null)
  const calls = useRefused((search.q ?? '').trim(), search.call)
  const open = (call: string | undefined, how: { replace?: boolean } = {}) =>
    void navigate({ search: withTexts(search, { call }), resetScroll: false, ...how })
  const look = (q: string) => {
    list.current?.toTop()
    void navigate({ search: withTexts(search, { q, call: undefined }), replace: true })
  }
  const step = async (by: 1 | -1) => {
    const next = await calls.beside(search.call!, by)
    if (!next) return
    calls.select(next.id)
    open(next.id, { replace: true })
  }
  const show = async () => {
    await showWaiting(calls)
    list.current?.toTop()
  }
  return (
    <Page
      title="Audit"
      fixed
      tools={
        <>
          <Tabs label="Audit" tabs={AUDIT_TABS} />
          <p className={styles.about}>
            Calls and sign-ins that the server did not let through. At most a hundred of each minute are kept,
            and ten thousand in all.
          </p>
          <Filters onClear={search.q ? () => look('') : undefined}>
            <SearchField label="Search by who, what or why" value={search.q ?? ''} onChange={look} />
          </Filters>
        </>
      }
      side={
        search.call ? (
          <CallSide
            call={calls.rows.find(row => row.id === search.call)}
            isKnown={calls.list !== null}
            onStep={by => void step(by)}
            onClose={() => {
              open(undefined)
              list.current?.focus()
            }}
          />
        ) : null
      }
    >
      <FeedRows
        ref={list}
        feed={calls}
        what="newly refused call"
        label="Refused calls"
        chosen={search.call}
        onChoose={open}
        total={calls.list?.next ? null : undefined}
        rowClass={`${styles.columns} ${two.row}`}
        head={HEAD}
        draw={draw}
        strip={waitingStrip(calls.list, 'newly refused call', () => void show())}
        empty={
          search.q ? (
            <Filtered what="refused calls" onClear={() => look('')} />
          ) : (
            <Empty title="Nothing was refused">
              When somebody calls what their role does not allow, or a sign-in fails, it stands here.
            </Empty>
          )
        }
      />
    </Page>
  )
}

interface CallSideProps {
  readonly call: Row<Call> | undefined
  readonly isKnown: boolean
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}

function CallSide({ call, isKnown, onClose, onStep }: CallSideProps) {
  useKeys([
    { keys: '[', label: 'The one before', group: 'Detail', run: () => onStep(-1) },
    { keys: ']', label: 'The next one', group: 'Detail', run: () => onStep(1) },
  ])
  return (
    <Side label="Refused call" onClose={onClose} head={<h2>Refused call</h2>}>
      {call && isItem(call) ? (
        <Facts
          facts={[
            ['Time', whole(call.at)],
            ['Who', line(call.who) || 'nobody who is known'],
            ['What', <code key="what">{line(call.what)}</code>],
            ['Why', lines(call.detail)],
          ]}
        />
      ) : isKnown ? (
        <p className="muted">It is not among those that are listed.</p>
      ) : null}
    </Side>
  )
}

const HEAD = (
  <>
    <Cell head>Time</Cell>
    <Cell head>Who</Cell>
    <Cell head>What</Cell>
    <Cell head>Why</Cell>
  </>
)

const draw = (row: Row<Call>) =>
  isItem(row) ? (
    <>
      <Cell className={`${styles.time} ${two.end}`} title={whole(row.at)}>
        {stamp(row.at)}
      </Cell>
      <Cell className={two.main} title={line(row.who)}>
        {line(row.who) || 'unknown'}
      </Cell>
      <Cell className={`mono ${two.below}`} title={line(row.what)}>
        {line(row.what)}
      </Cell>
      <Cell className={styles.why} title={line(row.detail)}>
        {line(row.detail)}
      </Cell>
    </>
  ) : (
    <Bone />
  )
