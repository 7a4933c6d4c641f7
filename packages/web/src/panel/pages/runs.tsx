// The log of runs: how many, over time, and one by one, as they come.

import { Pause, Play } from 'lucide-react'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { Announce } from '../../parts/announce.js'
import { Button } from '../../parts/button.js'
import { isGap, isItem } from '../../parts/feed/list.js'
import { lengthOf, waitingCount } from '../../parts/feed/news.js'
import { Facet, Filters, RangeChip, SearchField } from '../../parts/filters.js'
import type { Popup } from '../../parts/filters-popup.js'
import { asMoment, type Range, readRange } from '../../parts/filters-range.js'
import { Histogram } from '../../parts/histogram.js'
import { lookedAt } from '../../parts/looked-at.js'
import { Figure, Page, Side } from '../../parts/page.js'
import { Rows, type RowsHandle } from '../../parts/rows.js'
import { Empty, Failed, Loading } from '../../parts/states.js'
import { verdictWord } from '../../parts/verdict.js'
import { useCommands } from '../../shell/commands.js'
import { keyCaps, useKeys } from '../../shell/keys.js'
import { asList, withTexts } from '../../shell/search.js'
import { figure } from '../../words/number.js'
import { line } from '../../words/plain.js'
import { usePanel } from '../context.js'
import { runs as runsRoute } from '../routes.js'
import { askedOf, isNarrowed, type RunsSearch } from './runs/asked.js'
import { columns, drawRun, head } from './runs/columns.js'
import { type Counts, useCounts } from './runs/counts.js'
import { keptAtTop, useRuns } from './runs/feed.js'
import { waitingStrip } from './runs/waiting.js'

// Nobody needs it before a row is chosen.
const loadSide = () => import('./runs/detail.js').then(({ RunSide }) => ({ default: RunSide }))
const RunSide = lazy(loadSide)

export function Runs() {
  const search = runsRoute.useSearch()
  const navigate = runsRoute.useNavigate()
  const [isPaused, setPaused] = useState(false)
  const list = useRef<RowsHandle>(null)
  const range = useRange(search)
  const { verdict, event, hook, source, q } = search
  const asked = useMemo(
    () => askedOf({ verdict, event, hook, source, q } as RunsSearch, range),
    [verdict, event, hook, source, q, range],
  )
  const [isTop, setTop] = useState(() => keptAtTop(asked))
  const feed = useRuns(asked, isPaused || !isTop || search.run !== undefined, search.run)
  const { selected } = feed
  const counts = useCounts(asked, isPaused)

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
  useKeys([{ keys: 'p', label: 'Pause or go on', group: 'List', run: pause }])
  useCommands([
    { label: isPaused ? 'Go on with new runs' : 'Pause new runs', kind: 'command', keys: 'p', run: pause },
    { label: 'Only denied runs', kind: 'filter', run: () => narrow({ verdict: 'deny' }) },
    { label: 'Only runs that failed open', kind: 'filter', run: () => narrow({ verdict: 'failed_open' }) },
    { label: 'Clear the filters', kind: 'filter', run: clear },
  ])
  const strip = feed.list
    ? waitingStrip({
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
          {isPaused ? 'Go on' : 'Pause'} <kbd aria-hidden="true">{keyCaps('p')[0]}</kbd>
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
      <Announce what="new run" waiting={feed.list ? waitingCount(feed.list) : 0} />
      {feed.rows.length > 0 ? (
        <Rows
          ref={list}
          label="Runs"
          rows={feed.rows}
          keyOf={keyOf}
          chosen={search.run}
          onChoose={choose}
          selected={selected}
          onSelect={select}
          onEnd={feed.onEnd}
          onSight={feed.onSight}
          onTop={setTop}
          total={feed.list ? lengthOf(feed.list, counts.sums?.total) : undefined}
          narrowHeight={52}
          rowClass={columns}
          head={head}
          draw={drawRun}
          strip={strip}
          scrollTop={feed.scrollTop}
          onScrolled={feed.scrolled}
        />
      ) : feed.list ? (
        <None
          search={search}
          range={range}
          onClear={clear}
          onAll={() => narrow({ range: 'all', from: undefined, to: undefined })}
        />
      ) : feed.error ? (
        <Failed error={feed.error} onRetry={() => void feed.reload()} />
      ) : (
        <Loading rows={12} label="Loading runs" />
      )}
    </Page>
  )
}

const keyOf = ({ id }: { readonly id: string }) => id

const useRange = ({ range, from, to }: RunsSearch): Range =>
  useMemo(
    () => readRange({ range, from, to }, lookedAt(JSON.stringify([range, from, to]))),
    [range, from, to],
  )

function Figures({ counts, range }: { readonly counts: Counts; readonly range: Range }) {
  const { sums } = counts
  const of = (name: string) => sums?.verdicts.find(each => each.name === name)?.count ?? 0
  const when =
    range.kind === 'last' ? `in the ${range.label.toLowerCase()}` : range.kind === 'all' ? 'in all' : ''
  if (!sums) return <span> </span>
  return (
    <>
      <Figure value={figure(sums.total)}>
        {sums.total === 1 ? 'run' : 'runs'} {when}
      </Figure>
      <Figure value={figure(of('deny'))}>denied</Figure>
      <Figure value={figure(of('failed_open'))}>failed open</Figure>
    </>
  )
}

interface ToolsProps {
  readonly search: RunsSearch
  readonly range: Range
  readonly counts: Counts
  readonly onNarrow: (change: { readonly [name in keyof RunsSearch]?: string | undefined }) => void
}

function Tools({
  search,
  range,
  counts,
  onNarrow,
  onClear,
}: ToolsProps & { readonly onClear: (() => void) | undefined }) {
  const first = useRef<Popup>(null)
  const facet = (name: 'verdict' | 'event' | 'hook' | 'source') => ({
    options: counts.of[`${name}s`],
    chosen: (search[name] ?? '').split(',').filter(Boolean),
    onChange: (chosen: string[]) => onNarrow({ [name]: asList(chosen) }),
  })
  return (
    <Filters
      first={first}
      onClear={onClear}
      search={<SearchField label="Search runs" value={search.q ?? ''} onChange={q => onNarrow({ q })} />}
    >
      <Facet label="Verdict" wordOf={verdictWord} popup={first} {...facet('verdict')} />
      <Facet label="Event" {...facet('event')} />
      <Facet label="Hook" {...facet('hook')} />
      <Facet label="Source" {...facet('source')} />
      <RangeChip range={range} name={search.range} onChange={onNarrow} />
    </Filters>
  )
}

function Bars({ search, counts, onNarrow }: Omit<ToolsProps, 'range'>) {
  const chosen = (search.verdict ?? '').split(',').filter(Boolean)
  return (
    <Histogram
      label="Runs over time"
      bars={counts.bars}
      error={counts.error}
      onRetry={counts.retry}
      legend={counts.of.verdicts}
      chosen={chosen}
      onToggle={name =>
        onNarrow({
          verdict: asList(chosen.includes(name) ? chosen.filter(one => one !== name) : [...chosen, name]),
        })
      }
      onSelect={({ from, to }) => onNarrow({ from: asMoment(from), to: asMoment(to) })}
    />
  )
}

function None({
  search,
  range,
  onClear,
  onAll,
}: {
  readonly search: RunsSearch
  readonly range: Range
  readonly onClear: () => void
  readonly onAll: () => void
}) {
  const { workspace } = usePanel()
  if (isNarrowed(search)) {
    const names = [
      ['verdict', search.verdict],
      ['event', search.event],
      ['hook', search.hook],
      ['source', search.source],
      ['text', search.q && `“${search.q}”`],
    ].flatMap(([name, value]) => (value ? [`${name} ${line(value)}`] : []))
    return (
      <Empty title="No runs match" action={<Button onClick={onClear}>Clear the filters</Button>}>
        Looked for {names.join(', ')}, {range.label.toLowerCase()}.
      </Empty>
    )
  }
  const event = workspace.events.find(({ gate }) => gate === 'permission')?.name ?? workspace.events[0]?.name
  return (
    <Empty
      title={range.kind === 'all' ? 'No runs yet' : `No runs: ${range.label.toLowerCase()}`}
      action={range.kind === 'all' ? undefined : <Button onClick={onAll}>Look at all time</Button>}
    >
      <p>Every hook that runs leaves a line here, as it happens.</p>
      {event ? (
        <p>
          To see one, run <code>holdfast fire {event}</code> in this workspace.
        </p>
      ) : null}
    </Empty>
  )
}
