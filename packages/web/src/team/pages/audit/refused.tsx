// Rejected calls and sign-ins, newest first: the caller, the call, and the reason.

import { Bone, Cell } from '../../../parts/cells.js'
import { Facts } from '../../../parts/facts.js'
import { isItem, type Row } from '../../../parts/feed/list.js'
import { Page, Side } from '../../../parts/page.js'
import { Empty } from '../../../parts/states.js'
import { Tabs } from '../../../parts/tabs.js'
import two from '../../../parts/two-lines.module.css'
import { withTexts } from '../../../shell/search.js'
import { line, lines } from '../../../words/plain.js'
import { stamp, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { refusedCalls } from '../../routes.js'
import { type Detail, LogPage } from './log-page.js'
import styles from './refused.module.css'
import { type Call, useRefused } from './refused-feed.js'
import { AUDIT_TABS } from './tabs.js'

export function RefusedCalls() {
  const mayNot = useMay('AuditService/ListRefusedCalls')
  // Without permission the page sends no request: it would be one more refused call.
  if (!mayNot) return <Listed />
  return (
    <Page title="Audit" name="Refused calls" tools={<Tabs label="Audit" tabs={AUDIT_TABS} />}>
      <Empty title="Your role has no access">{mayNot}</Empty>
    </Page>
  )
}

function Listed() {
  const search = refusedCalls.useSearch()
  const navigate = refusedCalls.useNavigate()
  const calls = useRefused((search.q ?? '').trim(), search.call)
  return (
    <LogPage
      name="Refused calls"
      what="refused call"
      feed={calls}
      query={search.q ?? ''}
      searchLabel="Search by caller, call or reason"
      onSearch={q => void navigate({ search: withTexts(search, { q, call: undefined }), replace: true })}
      chosen={search.call}
      onChoose={(call, how) =>
        void navigate({ search: withTexts(search, { call }), resetScroll: false, ...how })
      }
      about={
        <p className={styles.about}>
          Calls and sign-ins that the server rejected: at most a hundred per minute, and ten thousand in all.
        </p>
      }
      side={(call, detail) => <CallSide call={call} isKnown={calls.list !== null} {...detail} />}
      rowClass={styles.columns!}
      head={HEAD}
      draw={draw}
      empty="This page lists calls that a role does not allow, and failed sign-ins."
    />
  )
}

function CallSide({
  call,
  isKnown,
  ...detail
}: Detail & { readonly call: Call | undefined; readonly isKnown: boolean }) {
  return (
    <Side label="Refused call" head={<h2>Refused call</h2>} {...detail}>
      {call ? (
        <Facts
          facts={[
            ['Time', whole(call.at)],
            ['Caller', line(call.who) || 'unauthenticated caller'],
            ['Call', <code key="what">{line(call.what)}</code>],
            ['Reason', lines(call.detail)],
          ]}
        />
      ) : isKnown ? (
        <p className="muted">This call is not in the list.</p>
      ) : null}
    </Side>
  )
}

const HEAD = (
  <>
    <Cell head>Time</Cell>
    <Cell head>Caller</Cell>
    <Cell head>Call</Cell>
    <Cell head>Reason</Cell>
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
