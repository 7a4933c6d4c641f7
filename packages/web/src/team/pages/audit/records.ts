// The rows: pages that are read as one goes down, and how many are newer than the newest that is shown. What is new never
// comes in by itself; the reader asks for it.

import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { type InfiniteData, type Query, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { Asked } from './asked.js'

const PAGE = 100
const LOOKED_AT = 50

/** Where each list stood when it was left. */
export const standing = new Map<string, number>()

export function useRecords(filter: Asked, countedAt: number) {
  const queries = useQueryClient()
  const records = useInfiniteQuery(
    AuditService.method.searchRecords,
    { filter, pageSize: PAGE, pageToken: '' },
    {
      pageParamKey: 'pageToken',
      getNextPageParam: page => page.nextPageToken || undefined,
      staleTime: Number.POSITIVE_INFINITY,
    },
  )
  const rows = useMemo(() => records.data?.pages.flatMap(page => page.records) ?? [], [records.data])

  // When the counts were asked again there was news, and the newest are looked at.
  const isOpenEnded = filter.to === ''
  const newest = useQuery(
    AuditService.method.searchRecords,
    { filter, pageSize: LOOKED_AT },
    { enabled: false },
  )
  const { refetch } = newest
  const isKnown = records.data !== undefined
  const first = useRef<{ filter: Asked; at: number } | null>(null)
  useEffect(() => {
    if (!isOpenEnded || !isKnown || countedAt === 0) return
    // The first count came with the rows; every later one was asked for because something is new.
    if (first.current?.filter !== filter) first.current = { filter, at: countedAt }
    else if (first.current.at !== countedAt) void refetch()
  }, [filter, isOpenEnded, isKnown, countedAt, refetch])
  const known = useMemo(() => new Set(rows.slice(0, 2 * PAGE).map(({ id }) => id)), [rows])
  const waiting = newest.data?.records.filter(({ id }) => !known.has(id)).length ?? 0

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = records
  const onEnd = useMemo(
    () => (hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined),
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  return {
    rows,
    isKnown,
    error: records.error,
    retry: () => records.refetch(),
    onEnd,
    waiting: isOpenEnded ? waiting : 0,
    isMore: waiting === LOOKED_AT,
    /** Only the first page is asked again; the others are read anew as one goes down. */
    async show() {
      queries.setQueriesData<InfiniteData<unknown>>({ predicate: isRows }, data =>
        data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
      )
      await records.refetch()
    },
  }
}

const isRows = (query: Query): boolean => {
  const about = query.queryKey[1] as { methodName?: string; cardinality?: string } | undefined
  return about?.methodName === 'SearchRecords' && about.cardinality === 'infinite' && query.isActive()
}
