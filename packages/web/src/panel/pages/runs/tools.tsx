// Above the list of runs: counts, filters and the chart over time.

import { useRef } from 'react'
import { Facet, Filters, RangeChip, SearchField } from '../../../parts/filters.js'
import type { Popup } from '../../../parts/filters-popup.js'
import { asMoment, type Range } from '../../../parts/filters-range.js'
import { Histogram } from '../../../parts/histogram.js'
import { Figure } from '../../../parts/page.js'
import { verdictWord } from '../../../parts/verdict.js'
import { asList, listOf } from '../../../shell/search.js'
import { figure } from '../../../words/number.js'
import type { Counts } from './counts.js'
import type { RunsSearch } from './run-filter.js'

export function Figures({ counts, range }: { readonly counts: Counts; readonly range: Range }) {
  const { sums } = counts
  const of = (name: string) => sums?.verdicts.find(each => each.name === name)?.count ?? 0
  const when =
    range.kind === 'last' ? `in the ${range.label.toLowerCase()}` : range.kind === 'all' ? 'in all' : ''
  if (!sums) return <span> </span>
  return (
    <>
      <Figure value={figure(sums.total)}>
        {sums.total === 1 ? 'event' : 'events'} {when}
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

export function Tools({
  search,
  range,
  counts,
  onNarrow,
  onClear,
}: ToolsProps & { readonly onClear: (() => void) | undefined }) {
  const first = useRef<Popup>(null)
  const facet = (name: 'verdict' | 'event' | 'hook' | 'source') => ({
    options: counts.of[`${name}s`],
    chosen: listOf(search[name]),
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

export function Bars({ search, counts, onNarrow }: Omit<ToolsProps, 'range'>) {
  const chosen = listOf(search.verdict)
  return (
    <Histogram
      label="Runs over time"
      noun="event"
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
