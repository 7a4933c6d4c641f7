// What people did on the server, newest first, and whether the chain that proves it is whole.

import { useRef } from 'react'
import { Bone, Cell } from '../../../parts/cells.js'
import { isItem, type Row } from '../../../parts/feed/list.js'
import { FeedRows } from '../../../parts/feed/rows.js'
import { Filters, SearchField } from '../../../parts/filters.js'
import { Page } from '../../../parts/page.js'
import type { RowsHandle } from '../../../parts/rows.js'
import { Empty, Filtered } from '../../../parts/states.js'
import { Tabs } from '../../../parts/tabs.js'
import two from '../../../parts/two-lines.module.css'
import { showWaiting, waitingStrip } from '../../../parts/waiting.js'
import { withTexts } from '../../../shell/search.js'
import { count } from '../../../words/number.js'
import { stamp, whole } from '../../../words/time.js'
import { adminActions } from '../../routes.js'
import { ActionSide, Words } from './action.js'
import styles from './admin.module.css'
import { useActions } from './admin-feed.js'
import { Chain } from './chain.js'
import { plain, sentenceOf } from './sentences.js'
import { AUDIT_TABS } from './tabs.js'
import { type Told, whoIn } from './told.js'

export function AdminActions() {
  const search = adminActions.useSearch()
  const navigate = adminActions.useNavigate()
  const list = useRef<RowsHandle>(null)
  const withMachines = search.machines === 'shown'
  const { feed, hidden } = useActions(
    { query: (search.q ?? '').trim(), peopleOnly: !withMachines },
    search.action,
  )
  const open = (action: string | undefined, how: { replace?: boolean } = {}) =>
    void navigate({ search: withTexts(search, { action }), resetScroll: false, ...how })
  const narrow = (change: { readonly q?: string; readonly machines?: string | undefined }) => {
    list.current?.toTop()
    void navigate({ search: withTexts(search, { ...change, action: undefined }), replace: true })
  }
  const step = async (by: 1 | -1) => {
    const next = await feed.beside(search.action!, by)
    if (!next) return
    feed.select(next.id)
    open(next.id, { replace: true })
  }
  const show = async () => {
    await showWaiting(feed)
    list.current?.toTop()
  }
  const chosen = feed.rows.find(row => row.id === search.action)
  return (
    <Page
      title="Audit"
      fixed
      tools={
        <>
          <Tabs label="Audit" tabs={AUDIT_TABS} />
          <Chain />
          <Filters
            search={
              <SearchField
                label="Search by who, what or whom"
                value={search.q ?? ''}
                onChange={q => narrow({ q })}
              />
            }
            onClear={search.q ? () => narrow({ q: '' }) : undefined}
          >
            <label className={styles.machines}>
              <input
                type="checkbox"
                checked={withMachines}
                onChange={event => narrow({ machines: event.target.checked ? 'shown' : undefined })}
              />{' '}
              {withMachines
                ? 'With what the server and devices did'
                : `Show what the server and devices did${hidden > 0 ? `: ${count(hidden, 'action')}` : ''}`}
            </label>
          </Filters>
        </>
      }
      side={
        search.action ? (
          <ActionSide
            id={search.action}
            told={chosen && isItem(chosen) ? chosen : undefined}
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
        feed={feed}
        what="new action"
        label="Admin actions"
        chosen={search.action}
        onChoose={open}
        total={feed.list?.next ? null : undefined}
        rowClass={`${styles.columns} ${two.row}`}
        head={HEAD}
        draw={draw}
        strip={waitingStrip(feed.list, 'new action', () => void show())}
        empty={
          search.q ? (
            <Filtered what="actions" onClear={() => narrow({ q: '' })} />
          ) : (
            <Empty title="Nobody did anything yet">
              {hidden > 0 ? `${count(hidden, 'action')} of the server and of devices are hidden.` : null}
            </Empty>
          )
        }
      />
    </Page>
  )
}

const HEAD = (
  <>
    <Cell head className={styles.seq}>
      No.
    </Cell>
    <Cell head>Time</Cell>
    <Cell head>Who</Cell>
    <Cell head>What</Cell>
  </>
)

const draw = (row: Row<Told>) => (isItem(row) ? <Cells told={row} /> : <Bone />)

function Cells({ told }: { readonly told: Told }) {
  const who = whoIn(told)
  const sentence = sentenceOf(told)
  return (
    <>
      <Cell className={styles.seq}>{told.id}</Cell>
      <Cell className={`${styles.time} ${two.end}`} title={told.at ? whole(told.at) : undefined}>
        {stamp(told.at)}
      </Cell>
      <Cell className={two.main} title={who.id || who.text}>
        {who.text} <span className={styles.beside}>{who.beside}</span>
      </Cell>
      <Cell className={`${styles.what} ${two.below}`} title={plain(sentence)}>
        <Words sentence={sentence} />
      </Cell>
    </>
  )
}
