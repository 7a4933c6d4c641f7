import { useInfiniteQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Cell } from '../../../parts/cells.js'
import { Filters, SearchField } from '../../../parts/filters.js'
import { Figure, Page, Side } from '../../../parts/page.js'
import { Rows } from '../../../parts/rows.js'
import { Empty, Filtered, Loading, Region } from '../../../parts/states.js'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { withTexts } from '../../../shell/search.js'
import { figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { hooks as hooksRoute } from '../../routes.js'
import styles from './hooks.module.css'
import { ModeWord, StateWord, systemsOf } from './looks.js'
import { arranged, type Column, contentIn, pressed, sortingOf, stateOf } from './sort.js'

const Glance = lazy(() => import('./glance.js').then(({ Glance }) => ({ default: Glance })))

const HEADS: readonly (readonly [column: Column | '', label: string])[] = [
  ['name', 'Name'],
  ['event', 'Event'],
  ['', 'Matcher'],
  ['', 'Systems'],
  ['mode', 'Mode'],
  ['state', 'State'],
  ['revision', 'Revision'],
  ['changed', 'Last change'],
]

export function Hooks() {
  const search = hooksRoute.useSearch()
  const navigate = hooksRoute.useNavigate()
  const mayNot = useMay('HooksService/SaveDraft')
  const all = useInfiniteQuery(
    HooksService.method.listHooks,
    { pageSize: 200, pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: page => page.nextPageToken || undefined },
  )
  // A team has a few hundred at most: all are here, so that every column can be sorted.
  useEffect(() => {
    if (all.hasNextPage && !all.isFetching) void all.fetchNextPage()
  }, [all.hasNextPage, all.isFetching, all.fetchNextPage])
  const hooks = all.data?.pages.flatMap(page => page.hooks) ?? []
  const sorting = sortingOf(search.sort)
  const rows = arranged(hooks, search.q ?? '', sorting)
  const [selected, setSelected] = useState(search.hook)
  const filter = (changes: { q?: string | undefined; sort?: string | undefined }) =>
    void navigate({ search: withTexts(search, changes), replace: true })
  const choose = (hook: string | undefined) =>
    void navigate({ search: withTexts(search, { hook }), replace: search.hook !== undefined })
  const step = (by: number) => {
    const next = rows[rows.findIndex(row => keyOf(row) === search.hook) + by]
    if (!next) return
    setSelected(keyOf(next))
    choose(keyOf(next))
  }
  const create = () => void navigate({ to: '/hooks/new' } as never)
  const openPage = (id: string | undefined) => {
    if (id) void navigate({ to: `/hooks/${id}` } as never)
  }
  useKeys([
    { keys: 'o', label: 'Open the editor', group: 'Hooks', run: () => openPage(search.hook ?? selected) },
    ...(search.hook
      ? [
          { keys: '[', label: 'Hook before', group: 'Hooks', run: () => step(-1) },
          { keys: ']', label: 'Next hook', group: 'Hooks', run: () => step(1) },
        ]
      : []),
    ...(mayNot ? [] : [{ keys: 'n', label: 'New hook', group: 'Hooks', run: create }]),
  ])
  useCommands([
    ...(mayNot ? [] : [{ label: 'New hook', kind: 'command', keys: 'n', run: create }]),
    ...hooks.map(({ id, name }) => ({ label: name, kind: 'hook', run: () => openPage(String(id)) })),
  ])
  const drafts = hooks.filter(({ draft }) => draft).length
  const inForce = hooks.filter(({ isPublished }) => isPublished).length
  const chosen = hooks.find(({ id }) => String(id) === search.hook)
  return (
    <Page
      title="Hooks"
      fixed
      figures={
        all.data ? (
          <>
            <Figure value={figure(all.data.pages[0]?.total ?? hooks.length)}>hooks</Figure>
            <Figure value={figure(inForce)}>in the newest release</Figure>
            <Figure value={figure(drafts)}>{drafts === 1 ? 'draft' : 'drafts'} to publish</Figure>
          </>
        ) : null
      }
      actions={
        <Button kind="primary" because={mayNot} onClick={create}>
          New hook
        </Button>
      }
      tools={
        hooks.length > 0 ? (
          <Filters>
            <SearchField
              label="Search by name, event, matcher, script or person"
              value={search.q ?? ''}
              onChange={q => filter({ q: q || undefined })}
            />
          </Filters>
        ) : null
      }
      side={
        search.hook && all.data ? (
          <Side
            label="Hook"
            onClose={() => choose(undefined)}
            head={<h2>{chosen ? line(chosen.name) : 'No such hook'}</h2>}
          >
            <Suspense fallback={<Loading />}>
              {chosen ? <Glance hook={chosen} /> : <p className="muted">It may be another team's.</p>}
            </Suspense>
          </Side>
        ) : null
      }
    >
      <Region of={all}>
        {() => {
          if (hooks.length === 0) return <NoHooks mayNot={mayNot} onCreate={create} />
          if (rows.length === 0) return <Filtered what="hooks" onClear={() => filter({ q: undefined })} />
          return (
            <Rows<Hook>
              label="Hooks"
              rows={rows}
              keyOf={keyOf}
              selected={selected}
              onSelect={setSelected}
              chosen={search.hook}
              onChoose={choose}
              rowClass={styles.columns!}
              height={36}
              head={HEADS.map(([column, label]) => (
                <Cell key={label} head>
                  {column === '' ? (
                    label
                  ) : (
                    <button
                      type="button"
                      className={styles.sort}
                      aria-label={`Sort by ${label.toLowerCase()}${
                        sorting.column === column
                          ? sorting.isDown
                            ? ', now descending'
                            : ', now ascending'
                          : ''
                      }`}
                      onClick={() => filter({ sort: pressed(sorting, column) })}
                    >
                      {label}
                      <span aria-hidden="true">
                        {sorting.column === column ? (sorting.isDown ? ' ↓' : ' ↑') : ''}
                      </span>
                    </button>
                  )}
                </Cell>
              ))}
              draw={draw}
            />
          )
        }}
      </Region>
    </Page>
  )
}

const keyOf = ({ id }: Hook) => String(id)
const draw = (hook: Hook) => <Row hook={hook} />

function Row({ hook }: { readonly hook: Hook }) {
  const content = contentIn(hook)
  return (
    <>
      <Cell>
        <Link className={styles.name} to={`/hooks/${hook.id}`} tabIndex={-1} title={line(hook.name)}>
          {line(hook.name)}
        </Link>
      </Cell>
      <Cell title={content?.hookStep ?? ''}>{line(content?.hookStep ?? '')}</Cell>
      <Cell className="mono" title={line(content?.matcher ?? '')}>
        {content?.matcher ? line(content.matcher) : <span className="faint">all</span>}
      </Cell>
      <Cell>{systemsOf(content)}</Cell>
      <Cell>
        <ModeWord content={content} />
      </Cell>
      <Cell>
        <StateWord state={stateOf(hook)} />
      </Cell>
      <Cell className={styles.number}>{hook.revision || '–'}</Cell>
      <Cell title={whole(hook.changedAt)}>
        {ago(hook.changedAt)} <span className="muted">by {line(hook.changedBy || 'somebody')}</span>
      </Cell>
    </>
  )
}

const NoHooks = ({
  mayNot,
  onCreate,
}: {
  readonly mayNot: string | undefined
  readonly onCreate: () => void
}) => (
  <Empty
    title="The team has no hooks yet"
    action={
      <Button because={mayNot} onClick={onCreate}>
        Write the first hook
      </Button>
    }
  >
    A hook is a small program that is asked about what an agent does, and may stop it. Write it here, try it
    on samples and on what was recorded, then publish it ring by ring to every machine of the team.
  </Empty>
)
