// Refused calls. The server sends no news of them, since unauthenticated callers cause them: the page polls.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { AuditService, type RefusedCall } from '@holdfast/team/messages'
import { useCallback, useEffect } from 'react'
import { type Feed, type Keep, useFeed } from '../../../parts/feed/feed.js'

export type Call = Pick<RefusedCall, 'at' | 'what' | 'who' | 'detail'> & { readonly id: string }

const AGAIN_MS = 10_000
const keep: Keep<Call> = { left: null }

export function useRefused(query: string, open: string | undefined): Feed<Call> {
  const transport = useTransport()
  const read = useCallback(
    async (pageToken: string, pageSize: number, signal?: AbortSignal) => {
      const { calls, nextPageToken } = await callUnaryMethod(
        transport,
        AuditService.method.listRefusedCalls,
        { query, pageSize, pageToken },
        signal ? { signal } : {},
      )
      return { rows: calls.map(call => ({ ...call, id: String(call.id) })), nextPageToken }
    },
    [transport, query],
  )
  const feed = useFeed({ key: query, read, isHeld: true, keep, open })
  const { renew } = feed
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) renew()
    }, AGAIN_MS)
    return () => clearInterval(timer)
  }, [renew])
  return feed
}
