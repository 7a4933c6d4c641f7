import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { AuditService, type Hook, HooksService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Badge } from '../../../parts/badge.js'
import { Button } from '../../../parts/button.js'
import { Cell } from '../../../parts/cells.js'
import { Filters, SearchField } from '../../../parts/filters.js'
import { Figure, Page, Side } from '../../../parts/page.js'
import { Rows } from '../../../parts/rows.js'
import { Empty, Filtered, Loading, Region } from '../../../parts/states.js'
import { BY_TOKEN } from '../../../shell/by-token.js'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { withTexts } from '../../../shell/search.js'
import { figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { toHook } from '../../links.js'
import { LiveBadge } from '../../live.js'
import { hooks as hooksRoute } from '../../routes.js'
import { since, spanOf } from '../overview/since.js'
import styles from './hooks.module.css'
import { ModeWord } from './looks.js'
import { arranged, contentIn, pressed, type SortColumn, sortingOf } from './sort.js'

const Glance = lazy(() => import('./glance.js').then(({ Glance }) => ({ default: Glance })))

const HEADS: readonly (readonly [column: SortColumn | '', label: string])[] = [
  ['name', 'Name'],
  ['event', 'Event'],
  ['', 'Matcher'],
  ['', 'Runs, 7 days'],
  ['mode', 'Mode'],
  ['state', 'On devices'],
  ['revision', 'Revision'],
  ['changed', 'Last change'],
]

export function Hooks() {
  const search = hooksRoute.useSearch()
  const navigate = hooksRoute.useNavigate()
  const mayNot = useMay('HooksService/SaveDraft')
  const all = useInfiniteQuery(HooksService.method.listHooks, { pageSize: 200, pageToken: '' }, BY_TOKEN)
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
  const create = () => void navigate({ to: '/hooks/new' })
  const openPage = (id: string | undefined) => {
    if (id) void navigate(toHook(id))
  }
  useKeys([
    { keys: 'o', label: 'Open the editor', group: 'Hooks', run: () => openPage(search.hook ?? selected) },
    ...(mayNot ? [] : [{ keys: 'n', label: 'New hook', group: 'Hooks', run: create }]),
  ])
  useCommands([...(mayNot ? [] : [{ label: 'New hook', kind: 'command', keys: 'n', run: create }])])
  const week = useWeek()
  const drafts = hooks.filter(({ draft }) => draft).length
  const released = hooks.filter(({ live }) => (live?.released ?? 0) > 0).length
  const chosen = hooks.find(({ id }) => String(id) === search.hook)
  return (
    <Page
      title="Hooks"
      fixed
      isLoading={all.isLoading}
      figures={
        all.data ? (
          <>
            <Figure value={figure(all.data.pages[0]?.total ?? hooks.length)}>hooks</Figure>
            <Figure value={figure(released)}>in the newest release</Figure>
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
              label="Search hooks"
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
            onStep={step}
            onClose={() => choose(undefined)}
            head={<h2>{chosen ? line(chosen.name) : 'No such hook'}</h2>}
          >
            <Suspense fallback={<Loading />}>
              {chosen ? (
                <Glance hook={chosen} />
              ) : (
                <p className="muted">This hook does not exist, or belongs to another team.</p>
              )}
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
              draw={hook => <Row hook={hook} week={week(hook.id)} />}
            />
          )
        }}
      </Region>
    </Page>
  )
}

const keyOf = ({ id }: Hook) => String(id)

interface Week {
  readonly runs: number
  readonly denied: number
}

/** The runs of each hook on all devices in the last seven days. */
function useWeek(): (hook: number) => Week | undefined {
  const [from] = useState(() => new Date(since(spanOf('7d'), Date.now())).toISOString())
  const runs = useQuery(AuditService.method.getFacets, { filter: { from } })
  const denied = useQuery(AuditService.method.getFacets, { filter: { from, verdicts: ['deny'] } })
  const countOf = ({ data }: typeof runs, hook: number) =>
    data?.hooks.find(({ name }) => name === `#${hook}`)?.count ?? 0
  return hook =>
    runs.data && denied.data ? { runs: countOf(runs, hook), denied: countOf(denied, hook) } : undefined
}

function Row({ hook, week }: { readonly hook: Hook; readonly week: Week | undefined }) {
  const content = contentIn(hook)
  return (
    <>
      <Cell>
        <Link className={styles.name} {...toHook(hook.id)} tabIndex={-1} title={line(hook.name)}>
          {line(hook.name)}
        </Link>
      </Cell>
      <Cell title={content?.hookStep ?? ''}>{line(content?.hookStep ?? '')}</Cell>
      <Cell className="mono" title={line(content?.matcher ?? '')}>
        {content?.matcher ? line(content.matcher) : <span className="faint">all</span>}
      </Cell>
      <Cell>
        {week ? figure(week.runs) : ''}
        {week && week.denied > 0 ? <span className="muted"> · {figure(week.denied)} denied</span> : null}
      </Cell>
      <Cell>
        <ModeWord content={content} />
      </Cell>
      <Cell>
        <LiveBadge live={hook.live} />
      </Cell>
      <Cell className={styles.number}>
        {hook.live?.released || hook.revision || '–'}
        {hook.draft ? <Badge tone="ask">draft</Badge> : null}
      </Cell>
      <Cell title={`${whole(hook.changedAt)}, ${line(hook.changedBy)}`}>
        {ago(hook.changedAt)}{' '}
        <span className="muted">by {line(hook.changedBy || 'somebody').replace(/@.*$/, '')}</span>
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
    A hook is a small program that runs before an agent acts, and can stop it. Write it here, test it on
    samples and recorded events, then publish it ring by ring to all devices of the team.
  </Empty>
)
