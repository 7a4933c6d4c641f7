// Admin actions, with few of them in memory, however many there are. New ones wait above.

import { callUnaryMethod, useQuery, useTransport } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { keepPreviousData } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { type Feed, type Keep, useFeed } from '../../../parts/feed/feed.js'
import { type Told, toldOf } from './told.js'

const keep: Keep<Told> = { left: null }

export interface AskedActions {
  readonly query: string
  readonly peopleOnly: boolean
}

export function useActions(
  { query, peopleOnly }: AskedActions,
  open: string | undefined,
): { readonly feed: Feed<Told>; readonly hidden: number } {
  const transport = useTransport()
  const read = useCallback(
    async (pageToken: string, pageSize: number, signal?: AbortSignal) => {
      const { actions, names, nextPageToken } = await callUnaryMethod(
        transport,
        AuditService.method.listAdminActions,
        { query, peopleOnly, pageSize, pageToken, withoutBody: true },
        signal ? { signal } : {},
      )
      return { rows: toldOf(actions, names), nextPageToken }
    },
    [transport, query, peopleOnly],
  )
  const key = JSON.stringify([query, peopleOnly])
  const feed = useFeed({ key, read, isHeld: true, keep, open })
  // Actions invalidate this query; its count shows whether there are new ones.
  const newest = useQuery(
    AuditService.method.listAdminActions,
    { query, peopleOnly, pageSize: 1, withoutBody: true },
    { placeholderData: keepPreviousData },
  )
  const top = newest.isPlaceholderData ? undefined : newest.data?.actions[0]?.seq
  const { renew } = feed
  const first = useRef({ key: '', top: 0 })
  useEffect(() => {
    if (top === undefined) return
    // The first ones came with the rows.
    if (first.current.key !== key) first.current = { key, top }
    else if (first.current.top !== top) {
      first.current = { key, top }
      renew()
    }
  }, [key, top, renew])
  return { feed, hidden: newest.data?.hidden ?? 0 }
}
