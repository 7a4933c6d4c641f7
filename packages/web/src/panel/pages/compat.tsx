// The versions in which each hook works: one row for each hook, one column for each version.

import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import {
  type CompatCell,
  type CompatRow,
  type GetCompatResponse,
  PanelService,
} from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Facet, Filters } from '../../parts/filters.js'
import { Figure, Page, Side } from '../../parts/page.js'
import { Empty, Filtered, Region } from '../../parts/states.js'
import { useKeys } from '../../shell/keys.js'
import { asList, listOf, withTexts } from '../../shell/search.js'
import { figure } from '../../words/number.js'
import { placeOf } from '../../words/place.js'
import { line } from '../../words/plain.js'
import { usePanel } from '../context.js'
import { compat as route } from '../routes.js'
import styles from './compat/compat.module.css'
import { isSame, keyOf, noted, shownRows } from './compat/rows.js'
import { countsOf } from './hooks/shown.js'

export function Compat() {
  const compat = useQuery(PanelService.method.getCompat, {})
  return (
    <Region of={compat} loading={<Page title="Compat">{null}</Page>}>
      {answer => <Table answer={answer} />}
    </Region>
  )
}

function Table({ answer: { profiles, rows } }: { readonly answer: GetCompatResponse }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { events: listOf(search.event), onlyDifferences: search.only === 'differences' }
  const shown = shownRows(rows, filter)
  const chosen = rows.find(row => keyOf(row) === search.hook)
  const narrow = (changes: Parameters<typeof withTexts<'event' | 'only'>>[1]) =>
    void navigate({ search: withTexts(search, changes), replace: true })
  const choose = (key: string | undefined, replace = false) =>
    void navigate({ search: withTexts(search, { hook: key }), replace })
  const clear = () => narrow({ event: undefined, only: undefined })
  const walk = (step: number) => {
    const at = shown.findIndex(row => keyOf(row) === search.hook)
    const next = shown[Math.min(Math.max(at === -1 ? 0 : at + step, 0), shown.length - 1)]
    if (next) choose(keyOf(next), search.hook !== undefined)
  }
  const toggle = () => narrow({ only: filter.onlyDifferences ? undefined : 'differences' })
  useKeys([
    ...['j', 'ArrowDown'].map(keys => ({ keys, label: 'Next hook', group: 'List', run: () => walk(1) })),
    ...['k', 'ArrowUp'].map(keys => ({ keys, label: 'Previous hook', group: 'List', run: () => walk(-1) })),
    { keys: 'd', label: 'Only differences', group: 'Filter', run: toggle },
  ])
  const same = rows.filter(isSame).length
  return (
    <Page
      title="Compat"
      fixed
      figures={
        rows.length > 0 ? (
          <>
            <Figure value={figure(rows.length)}>{rows.length === 1 ? 'hook' : 'hooks'}</Figure>
            <Figure value={figure(same)}>{same === 1 ? 'works' : 'work'} in every version</Figure>
            <Figure value={figure(rows.length - same)}>
              {rows.length - same === 1 ? 'differs' : 'differ'} somewhere
            </Figure>
          </>
        ) : null
      }
      tools={
        rows.length > 0 ? (
          <>
            <Filters onClear={filter.events.length > 0 || filter.onlyDifferences ? clear : undefined}>
              <label className={styles.only}>
                <input type="checkbox" checked={filter.onlyDifferences} onChange={toggle} />
                Only differences
              </label>
              <Facet
                label="Event"
                options={countsOf(rows.map(({ event }) => event))}
                chosen={filter.events}
                onChange={names => narrow({ event: asList(names) })}
              />
            </Filters>
            <Legend />
          </>
        ) : null
      }
      side={chosen ? <Notes row={chosen} profiles={profiles} onClose={() => choose(undefined)} /> : null}
    >
      {rows.length === 0 ? (
        <Empty title="There are no hooks to compare" action={<Link to="/hooks">Create a first one</Link>}>
          With a first hook, this page lists the versions in which it works.
        </Empty>
      ) : shown.length === 0 ? (
        <Filtered what="hooks" onClear={clear} />
      ) : (
        <div className={styles.scroll} role="region" aria-label="Hooks by version" tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Hook</th>
                {profiles.map(name => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(row => (
                <Row
                  key={keyOf(row)}
                  row={row}
                  profiles={profiles}
                  isChosen={row === chosen}
                  onOpen={() => choose(keyOf(row))}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Page>
  )
}

interface RowProps {
  readonly row: CompatRow
  readonly profiles: readonly string[]
  readonly isChosen: boolean
  readonly onOpen: () => void
}

const Row = ({ row, profiles, isChosen, onOpen }: RowProps) => (
  <tr data-chosen={isChosen || undefined} onClick={onOpen}>
    <th scope="row">
      <button
        type="button"
        className={`${styles.hook} mono`}
        onClick={onOpen}
        aria-current={isChosen || undefined}
      >
        {line(row.hook)}
      </button>
      <span className={styles.event}>{row.event}</span>
    </th>
    {row.cells.map((cell, index) => (
      <td key={profiles[index]} title={cell.notes.map(line).join('\n') || undefined}>
        <Cell cell={cell} />
      </td>
    ))}
  </tr>
)

const stroke = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.6, strokeLinecap: 'round' } as const
const GLYPHS: Readonly<Record<string, string>> = {
  works: 'M2.5 7.5l3 3 6-7',
  differs: 'M2.5 5h9 M2.5 9h9 M9.5 2l-5 10',
  weaker: 'M7 2.5v8.5 M3.5 7.5L7 11l3.5-3.5',
  ignored: 'M11.5 7a4.5 4.5 0 1 1-9 0a4.5 4.5 0 0 1 9 0z M3.8 10.2l6.4-6.4',
}

const Cell = ({ cell }: { readonly cell: Pick<CompatCell, 'state'> }) => (
  <span className={styles.cell} data-state={cell.state}>
    <svg viewBox="0 0 14 14" aria-hidden="true">
      <path d={GLYPHS[cell.state] ?? GLYPHS.differs} {...stroke} />
    </svg>
    {cell.state}
  </span>
)

const MEANINGS = [
  ['works', 'as in the newest version'],
  ['differs', 'another result'],
  ['weaker', 'blocks less than in the newest version'],
  ['ignored', 'does not run'],
] as const

const Legend = () => (
  <dl className={styles.legend}>
    {MEANINGS.map(([state, meaning]) => (
      <div key={state}>
        <dt>
          <Cell cell={{ state }} />
        </dt>
        <dd>{meaning}</dd>
      </div>
    ))}
  </dl>
)

interface NotesProps {
  readonly row: CompatRow
  readonly profiles: readonly string[]
  readonly onClose: () => void
}

function Notes({ row, profiles, onClose }: NotesProps) {
  const { workspace } = usePanel()
  return (
    <Side
      label={`Versions of ${row.hook}`}
      onClose={onClose}
      head={
        <>
          <h2 className={`${styles.name} mono`}>{line(row.hook)}</h2>
          <p className="muted">
            {row.event} · {row.source}
          </p>
          <p className={`${styles.file} mono`}>{line(placeOf(row.file, row.line, workspace.roots))}</p>
        </>
      }
    >
      <p className={styles.more}>
        <Link to="/hooks" search={{ q: `${row.event} ${row.hook}` }}>
          Show in Hooks
        </Link>
      </p>
      <ul className={styles.notes}>
        {noted(profiles, row).map(({ profiles, cell }) => (
          <li key={profiles.join()}>
            <h3>{profiles.join(', ')}</h3>
            <Cell cell={cell} />
            {cell.notes.length === 0 && cell.state === 'works' ? (
              <p className="muted">Same as in the newest version.</p>
            ) : null}
            {cell.notes.map(note => (
              <p key={note}>{line(note)}</p>
            ))}
          </li>
        ))}
      </ul>
    </Side>
  )
}
