// The records of all devices: counts over time, facets, and a list.

import { useQuery } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { keepPreviousData } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { Button } from '../../parts/button.js'
import { isItem } from '../../parts/feed/list.js'
import { lengthOf } from '../../parts/feed/news.js'
import { FeedRows } from '../../parts/feed/rows.js'
import { Filters, RangeChip, SearchField } from '../../parts/filters.js'
import { asMoment } from '../../parts/filters-range.js'
import { Histogram } from '../../parts/histogram.js'
import { lookedAt } from '../../parts/looked-at.js'
import { Figure, Page } from '../../parts/page.js'
import type { RowsHandle } from '../../parts/rows.js'
import { Empty, Filtered, Loading } from '../../parts/states.js'
import { Tabs } from '../../parts/tabs.js'
import { waitingStrip } from '../../parts/waiting.js'
import { useCommands } from '../../shell/commands.js'
import { Dialog } from '../../shell/dialog.js'
import { withTexts } from '../../shell/search.js'
import { figure } from '../../words/number.js'
import { line } from '../../words/plain.js'
import { audit as auditRoute } from '../routes.js'
import {
  type AuditSearch,
  type Choices,
  choicesOf,
  FACETS,
  type FacetName,
  isNarrowed,
  toggled,
  wantedOf,
} from './audit/audit-filter.js'
import { columns, drawRecord, head } from './audit/columns.js'
import { Export } from './audit/export.js'
import { FacetList } from './audit/facets.js'
import { useRecords } from './audit/records.js'
import { AUDIT_TABS } from './audit/tabs.js'
import { Views } from './audit/views.js'
import styles from './audit.module.css'

// Loaded with the first record.
const RecordSide = lazy(() => import('./audit/record.js').then(({ RecordSide }) => ({ default: RecordSide })))

const BARS = 90
const USUAL_DAYS = 90

export function Audit() {
  const search = auditRoute.useSearch()
  const navigate = auditRoute.useNavigate()
  const list = useRef<RowsHandle>(null)
  const [areFacetsOpen, setFacetsOpen] = useState(false)
  const retention = useQuery(AuditService.method.getRetention, {})
  const recordDays = retention.data?.recordDays ?? USUAL_DAYS
  const { record, ...narrowing } = search
  const key = JSON.stringify(narrowing)
  const { range, asked } = useMemo(
    () => wantedOf(JSON.parse(key) as AuditSearch, lookedAt(key), recordDays),
    [key, recordDays],
  )
  const counts = useQuery(
    AuditService.method.countRecords,
    { filter: asked, buckets: BARS },
    { placeholderData: keepPreviousData },
  )
  const facets = useQuery(
    AuditService.method.getFacets,
    { filter: asked },
    { placeholderData: keepPreviousData },
  )
  const records = useRecords(asked, record, counts.isPlaceholderData ? 0 : counts.dataUpdatedAt)

  const open = (id: string | undefined, how: { replace?: boolean } = {}) =>
    void navigate({ search: withTexts(search, { record: id }), resetScroll: false, ...how })
  const narrow = (change: { readonly [name in keyof AuditSearch]?: string | undefined }) => {
    list.current?.toTop()
    records.select(undefined)
    void navigate({ search: withTexts(search, { ...change, record: undefined }), replace: true })
  }
  const toggle = (name: FacetName, value: string, how: keyof Choices = 'wanted') =>
    narrow({ [name]: toggled(search[name], value, how) })
  const clear = () => {
    list.current?.toTop()
    const { range, from, to } = search
    void navigate({ search: withTexts({}, { range, from, to }), replace: true })
  }
  const step = async (by: 1 | -1) => {
    const next = await records.beside(record!, by)
    if (!next) return
    records.select(next.id)
    open(next.id, { replace: true })
  }
  const choose = (id: string) => {
    if (records.rows.some(row => row.id === id && isItem(row))) open(id)
  }
  const show = async () => {
    await records.reload()
    list.current?.toTop()
  }
  useCommands([
    { label: 'Only denied records', kind: 'filter', run: () => narrow({ verdict: 'deny' }) },
    { label: 'Only records that failed open', kind: 'filter', run: () => narrow({ verdict: 'failed_open' }) },
    { label: 'Clear the filters', kind: 'filter', run: clear },
    { label: 'Admin actions', kind: 'page', run: () => void navigate({ to: '/audit/admin' }) },
    { label: 'Refused calls', kind: 'page', run: () => void navigate({ to: '/audit/refused' }) },
  ])
  const chosenCount = FACETS.filter(name => search[name]).length
  const facetList = (
    <FacetList
      facets={facets}
      search={search}
      onToggle={toggle}
      onClear={name => narrow({ [name]: undefined })}
    />
  )
  const total = counts.data?.total
  return (
    <Page
      title="Audit"
      fixed
      isLoading={counts.isLoading || facets.isLoading}
      actions={<Export filter={asked} total={total} />}
      figures={
        total === undefined ? (
          <span> </span>
        ) : (
          <Figure value={figure(total)}>
            {total === 1 ? 'record' : 'records'}, {range.label.charAt(0).toLowerCase() + range.label.slice(1)}
          </Figure>
        )
      }
      tools={
        <>
          <Tabs label="Audit" tabs={AUDIT_TABS} />
          <Filters
            search={
              <SearchField label="Search subjects" value={search.q ?? ''} onChange={q => narrow({ q })} />
            }
            onClear={isNarrowed(search) ? clear : undefined}
          >
            <RangeChip range={range} name={search.range} onChange={narrow} />
            <Views search={search} />
            <Button className={styles.open} onClick={() => setFacetsOpen(true)}>
              Filter{chosenCount > 0 ? ` (${chosenCount})` : ''}
            </Button>
            {search.release ? (
              <Button aria-label="Remove the filter: release" onClick={() => narrow({ release: undefined })}>
                Release {line(search.release)} ×
              </Button>
            ) : null}
            {search.conversation ? (
              <Button
                aria-label="Remove the filter: session"
                onClick={() => narrow({ conversation: undefined })}
              >
                Session {line(search.conversation).slice(0, 12)} ×
              </Button>
            ) : null}
          </Filters>
          <Histogram
            label="Records over time"
            noun="record"
            bars={counts.data?.buckets.map(({ from, to, verdicts }) => ({ from, to, counts: verdicts }))}
            error={counts.error}
            onRetry={() => void counts.refetch()}
            legend={facets.data?.verdicts.map(({ name, count }) => ({ name, count }))}
            chosen={choicesOf(search.verdict).wanted}
            onToggle={verdict => toggle('verdict', verdict)}
            onSelect={({ from, to }) =>
              narrow({ range: search.range, from: asMoment(from), to: asMoment(to) })
            }
          />
        </>
      }
      side={
        record ? (
          <Suspense fallback={<Loading label="Loading the record" />}>
            <RecordSide
              key={record}
              id={record}
              onStep={by => void step(by)}
              onNarrow={narrow}
              onClose={() => {
                open(undefined)
                list.current?.focus()
              }}
            />
          </Suspense>
        ) : null
      }
    >
      <div className={styles.both}>
        <div className={styles.facets}>{facetList}</div>
        <div className={styles.list}>
          <FeedRows
            ref={list}
            feed={records}
            what="new record"
            label="Records"
            chosen={record}
            onChoose={choose}
            total={records.list ? lengthOf(records.list, total) : undefined}
            rowClass={columns}
            head={head}
            draw={drawRecord}
            strip={waitingStrip(records.list, 'new record', () => void show())}
            empty={
              <Nothing
                isNarrowed={isNarrowed(search)}
                onClear={clear}
                onAll={
                  range.kind === 'all'
                    ? undefined
                    : () => narrow({ range: 'all', from: undefined, to: undefined })
                }
              />
            }
          />
        </div>
      </div>
      {areFacetsOpen ? (
        <Dialog title="Filter" onClose={() => setFacetsOpen(false)}>
          {facetList}
          <div className={styles.done}>
            <Button onClick={() => setFacetsOpen(false)}>Done</Button>
          </div>
        </Dialog>
      ) : null}
    </Page>
  )
}

const Nothing = ({
  isNarrowed,
  onClear,
  onAll,
}: {
  readonly isNarrowed: boolean
  readonly onClear: () => void
  readonly onAll: (() => void) | undefined
}) =>
  isNarrowed ? (
    <Filtered what="records" onClear={onClear} />
  ) : (
    <Empty
      title={onAll ? 'No records in this period' : 'There are no records yet'}
      action={onAll ? <Button onClick={onAll}>Show all time</Button> : null}
    >
      Devices send records within seconds. Devices that are offline send them later.
    </Empty>
  )
