// Actions of admins, newest first, and the state of the hash chain that proves them.

import { Bone, Cell } from '../../../parts/cells.js'
import { isItem, type Row } from '../../../parts/feed/list.js'
import two from '../../../parts/two-lines.module.css'
import { withTexts } from '../../../shell/search.js'
import { count, figure } from '../../../words/number.js'
import { stamp, whole } from '../../../words/time.js'
import { adminActions } from '../../routes.js'
import { ActionSide, Words } from './action.js'
import styles from './admin.module.css'
import { useActions } from './admin-feed.js'
import { Chain } from './chain.js'
import { LogPage } from './log-page.js'
import { plain, sentenceOf } from './sentences.js'
import { type Told, whoIn } from './told.js'

export function AdminActions() {
  const search = adminActions.useSearch()
  const navigate = adminActions.useNavigate()
  const withMachines = search.machines === 'shown'
  const { feed, hidden } = useActions(
    { query: (search.q ?? '').trim(), peopleOnly: !withMachines },
    search.action,
  )
  const open = (action: string | undefined, how: { replace?: boolean } = {}) =>
    void navigate({ search: withTexts(search, { action }), resetScroll: false, ...how })
  const narrow = (change: { readonly q?: string; readonly machines?: string | undefined }) =>
    void navigate({ search: withTexts(search, { ...change, action: undefined }), replace: true })
  return (
    <LogPage
      name="Admin actions"
      what="action"
      feed={feed}
      query={search.q ?? ''}
      searchLabel="Search by actor, action or subject"
      onSearch={q => narrow({ q })}
      chosen={search.action}
      onChoose={open}
      about={<Chain />}
      filters={
        <label className={styles.machines}>
          <input
            type="checkbox"
            checked={withMachines}
            onChange={event => narrow({ machines: event.target.checked ? 'shown' : undefined })}
          />{' '}
          {withMachines
            ? 'With actions of the server and devices'
            : `Show actions of the server and devices${hidden > 0 ? `: ${figure(hidden)}` : ''}`}
        </label>
      }
      side={(told, detail) => <ActionSide id={search.action!} told={told} {...detail} />}
      rowClass={styles.columns!}
      head={HEAD}
      draw={draw}
      empty={hidden > 0 ? `${count(hidden, 'action')} of the server and of devices are hidden.` : null}
    />
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
