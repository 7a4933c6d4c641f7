// The rows: pages load while one scrolls, and newer ones are counted. New rows are added only on request. They are
// loaded from the newest, because devices send late and new rows may belong between existing ones.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { AuditService, type Record } from '@holdfast/team/messages'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { type Feed, type Keep, useFeed } from '../../../parts/feed/feed.js'
import type { AskedFilter } from './audit-filter.js'

const keep: Keep<Record> = { left: null }

/** A repeated count means that there are changes. */
export function useRecords(filter: AskedFilter, open: string | undefined, countedAt: number): Feed<Record> {
  const transport = useTransport()
  const key = useMemo(() => JSON.stringify(filter), [filter])
  const read = useCallback(
    async (pageToken: string, pageSize: number, signal?: AbortSignal) => {
      const { records, nextPageToken } = await callUnaryMethod(
        transport,
        AuditService.method.searchRecords,
        { filter: JSON.parse(key) as AskedFilter, pageSize, pageToken },
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
