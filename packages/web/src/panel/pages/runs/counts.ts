// The sums for what is asked, and for each filter the choices that there would be without it.

import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { type CountRunsResponse, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import type { TimeBar } from '../../../parts/histogram-layout.js'
import type { Asked } from './asked.js'

const BARS = 72

type Dimension = 'verdicts' | 'events' | 'hooks' | 'sources'

export interface Counts {
  readonly sums: CountRunsResponse | undefined
  readonly bars: readonly TimeBar[] | undefined
  readonly error: unknown
  readonly retry: () => void
  /** Choices of one filter; without its own choice, so that one can add to it. */
  readonly of: Readonly<Record<Dimension, CountRunsResponse[Dimension] | undefined>>
}

/** While it is paused, nothing of it changes but by another question. */
export function useCounts(asked: Asked, isPaused: boolean): Counts {
  const sums = useCount(asked, isPaused)
  const of = {
    verdicts: useCount(useWithout(asked, 'verdicts'), isPaused).data?.verdicts,
    events: useCount(useWithout(asked, 'events'), isPaused).data?.events,
    hooks: useCount(useWithout(asked, 'hooks'), isPaused).data?.hooks,
    sources: useCount(useWithout(asked, 'sources'), isPaused).data?.sources,
  }
  const bars = useMemo(
    () => sums.data?.bars.map(({ from, to, verdicts }) => ({ from, to, counts: verdicts })),
    [sums.data],
  )
  return { sums: sums.data, bars, error: sums.error, retry: () => void sums.refetch(), of }
}

const useWithout = (asked: Asked, dimension: Dimension): Asked =>
  useMemo(() => ({ ...asked, [dimension]: [] }), [asked, dimension])

function useCount(filter: Asked, isPaused: boolean) {
  const count = useQuery(
    PanelService.method.countRuns,
    { filter, buckets: BARS },
    { placeholderData: keepPreviousData },
  )
  const frozen = useRef<{ filter: Asked; data: CountRunsResponse } | null>(null)
  if (!isPaused || frozen.current?.filter !== filter) {
    frozen.current = count.data && !count.isPlaceholderData ? { filter, data: count.data } : null
  }
  return { ...count, data: isPaused && frozen.current ? frozen.current.data : count.data }
}
