// The rows: pages that are read as one goes, and how many are newer than the newest that is shown. What is new never
// comes in by itself; the reader asks for it. It is read from the newest then: devices send late, so it may belong
// between rows that are there.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { AuditService, type Record } from '@holdfast/team/messages'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { type Feed, type Keep, useFeed } from '../../../parts/feed/feed.js'
import type { Asked } from './asked.js'

const keep: Keep<Record> = { left: null }

/** Whenever it was counted again, there was news. */
export function useRecords(filter: Asked, open: string | undefined, countedAt: number): Feed<Record> {
  const transport = useTransport()
  const key = useMemo(() => JSON.stringify(filter), [filter])
  const read = useCallback(
    async (pageToken: string, pageSize: number, signal?: AbortSignal) => {
      const { records, nextPageToken } = await callUnaryMethod(
        transport,
        AuditService.method.searchRecords,
        { filter: JSON.parse(key) as Asked, pageSize, pageToken },
        signal ? { signal } : {},
      )
      return { rows: records, nextPageToken }
    },
    [transport, key],
  )
  const feed = useFeed({ key, read, isHeld: true, keep, open })

  const { renew } = feed
  const isOpenEnded = filter.to === ''
  const first = useRef({ key: '', at: 0 })
  useEffect(() => {
    if (countedAt === 0) return
    // The first count came with the rows.
    if (first.current.key !== key) first.current = { key, at: countedAt }
    else if (first.current.at !== countedAt && isOpenEnded) renew()
  }, [key, isOpenEnded, countedAt, renew])
  return feed
}
