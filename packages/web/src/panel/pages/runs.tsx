// The log of runs: counts, a chart over time, and the list, live.

import { Pause, Play } from 'lucide-react'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { Button } from '../../parts/button.js'
import { isGap, isItem } from '../../parts/feed/list.js'
import { lengthOf } from '../../parts/feed/news.js'
import { FeedRows } from '../../parts/feed/rows.js'
import { type Range, readRange } from '../../parts/filters-range.js'
import { lookedAt } from '../../parts/looked-at.js'
import { Page, Side } from '../../parts/page.js'
import type { RowsHandle } from '../../parts/rows.js'
import { useCommands } from '../../shell/commands.js'
import { keyCaps, useKeys } from '../../shell/keys.js'
import { withTexts } from '../../shell/search.js'
import { runs as runsRoute } from '../routes.js'
import { columns, drawRun, head } from './runs/columns.js'
import { useCounts } from './runs/counts.js'
import { NoRuns } from './runs/empty.js'
import { keptAtTop, useRuns } from './runs/feed.js'
import { filterOf, isNarrowed, type RunsSearch } from './runs/run-filter.js'
import { Bars, Figures, Tools } from './runs/tools.js'
import { waitingNote } from './runs/waiting-note.js'

// Loaded with the first selection.
const loadSide = () => import('./runs/detail.js').then(({ RunSide }) => ({ default: RunSide }))
const RunSide = lazy(loadSide)

export function Runs() {
  const search = runsRoute.useSearch()
  const navigate = runsRoute.useNavigate()
  const [isPaused, setPaused] = useState(false)
  const list = useRef<RowsHandle>(null)
  const range = useRange(search)
  const { verdict, event, hook, source, q } = search
  const filter = useMemo(
    () => filterOf({ verdict, event, hook, source, q } as RunsSearch, range),
    [verdict, event, hook, source, q, range],
  )
  const [isTop, setTop] = useState(() => keptAtTop(filter))
  const feed = useRuns(filter, isPaused || !isTop || search.run !== undefined, search.run)
  const { selected } = feed
  const counts = useCounts(filter, isPaused)

  const open = (run: string | undefined, how: { replace?: boolean } = {}) =>
    void navigate({ search: withTexts(search, { run }), resetScroll: false, ...how })
  const narrow = (change: { readonly [name in keyof RunsSearch]?: string | undefined }) => {
    list.current?.toTop()
    setTop(true)
    feed.select(undefined)
    void navigate({ search: withTexts(search, { ...change, run: undefined }), replace: true })
  }
  const clear = () =>
    narrow({ verdict: undefined, event: undefined, hook: undefined, source: undefined, q: undefined })
  const select = (key: string | undefined) => {
    void loadSide()
    feed.select(key)
  }
  const step = async (by: 1 | -1) => {
    const next = await feed.beside(search.run!, by)
    if (!next) return
    select(next.id)
    open(next.id, { replace: true })
  }
  const choose = (key: string) => {
    const row = feed.rows.find(({ id }) => id === key)
    if (!row) return
    if (isItem(row)) open(key)
    else if (isGap(row)) void feed.reload()
  }
  const close = () => {
    open(undefined)
    list.current?.focus()
  }
  const show = () => {
    feed.select(undefined)
    feed.show()
    list.current?.toTop()
    setTop(true)
  }
  const reload = () => {
    void feed.reload()
    show()
  }
  const pause = () => setPaused(!isPaused)
  useKeys([{ keys: 'p', label: 'Pause or resume', group: 'List', run: pause }])
  useCommands([
    { label: isPaused ? 'Resume new runs' : 'Pause new runs', kind: 'command', keys: 'p', run: pause },
    { label: 'Only denied runs', kind: 'filter', run: () => narrow({ verdict: 'deny' }) },
    { label: 'Only runs that failed open', kind: 'filter', run: () => narrow({ verdict: 'failed_open' }) },
    { label: 'Clear the filters', kind: 'filter', run: clear },
  ])
  const strip = feed.list
    ? waitingNote({
        list: feed.list,
        isPaused,
        isOpen: selected !== undefined || search.run !== undefined,
        onShow: show,
        onReload: reload,
      })
    : null
  return (
    <Page
      title="Runs"
      fixed
      actions={
        <Button onClick={pause} aria-pressed={isPaused}>
          {isPaused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
          {isPaused ? 'Resume' : 'Pause'} <kbd aria-hidden="true">{keyCaps('p')[0]}</kbd>
        </Button>
      }
      figures={<Figures counts={counts} range={range} />}
      tools={
        <>
          <Tools
            search={search}
            range={range}
            counts={counts}
            onNarrow={narrow}
            onClear={isNarrowed(search) ? clear : undefined}
          />
          <Bars search={search} counts={counts} onNarrow={narrow} />
        </>
      }
      side={
        search.run ? (
          <Suspense
            fallback={
              <Side label="Run" onClose={close}>
                {null}
              </Side>
            }
          >
            <RunSide key={search.run} id={search.run} onStep={by => void step(by)} onClose={close} />
          </Suspense>
        ) : null
      }
    >
      <FeedRows
        ref={list}
        feed={feed}
        what="new run"
        label="Runs"
        chosen={search.run}
        onChoose={choose}
        hrefOf={row => (isItem(row) ? `/runs/${encodeURIComponent(row.id)}` : undefined)}
        onSelect={select}
        onTop={setTop}
        total={feed.list ? lengthOf(feed.list, counts.sums?.total) : undefined}
        rowClass={columns}
        head={head}
        draw={drawRun}
        strip={strip}
        empty={
          <NoRuns
            search={search}
            range={range}
            onClear={clear}
            onAll={() => narrow({ range: 'all', from: undefined, to: undefined })}
          />
        }
      />
    </Page>
  )
}

const useRange = ({ range, from, to }: RunsSearch): Range =>
  useMemo(
    () => readRange({ range, from, to }, lookedAt(JSON.stringify([range, from, to]))),
    [range, from, to],
  )
