// The counts of the filtered runs, and for each filter its options as if it were not set.

import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { type CountRunsResponse, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import type { TimeBar } from '../../../parts/histogram-layout.js'
import type { RunFilter } from './run-filter.js'

const BARS = 72

type Dimension = 'verdicts' | 'events' | 'hooks' | 'sources'

export interface Counts {
  readonly sums: CountRunsResponse | undefined
  readonly bars: readonly TimeBar[] | undefined
  readonly error: unknown
  readonly retry: () => void
  /** Options of one filter, counted without its own choice, so that more can be chosen. */
  readonly of: Readonly<Record<Dimension, CountRunsResponse[Dimension] | undefined>>
}

/** While paused, the counts change only with the filter. */
export function useCounts(filter: RunFilter, isPaused: boolean): Counts {
  const sums = useCount(filter, isPaused)
  const of = {
    verdicts: useCount(useWithout(filter, 'verdicts'), isPaused).data?.verdicts,
    events: useCount(useWithout(filter, 'events'), isPaused).data?.events,
    hooks: useCount(useWithout(filter, 'hooks'), isPaused).data?.hooks,
    sources: useCount(useWithout(filter, 'sources'), isPaused).data?.sources,
  }
  const bars = useMemo(
    () => sums.data?.bars.map(({ from, to, verdicts }) => ({ from, to, counts: verdicts })),
    [sums.data],
  )
  return { sums: sums.data, bars, error: sums.error, retry: () => void sums.refetch(), of }
}

const useWithout = (filter: RunFilter, dimension: Dimension): RunFilter =>
  useMemo(() => ({ ...filter, [dimension]: [] }), [filter, dimension])

function useCount(filter: RunFilter, isPaused: boolean) {
  const count = useQuery(
    PanelService.method.countRuns,
    { filter, buckets: BARS },
    { placeholderData: keepPreviousData },
  )
  const frozen = useRef<{ filter: RunFilter; data: CountRunsResponse } | null>(null)
  if (!isPaused || frozen.current?.filter !== filter) {
    frozen.current = count.data && !count.isPlaceholderData ? { filter, data: count.data } : null
  }
  return { ...count, data: isPaused && frozen.current ? frozen.current.data : count.data }
}
