// The list of runs, with new ones as they arrive.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { useCallback, useEffect, useMemo } from 'react'
import { PanelService, type RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { type Feed, type Keep, useFeed } from '../../../parts/feed/feed.js'
import { isItem, placeOf, rowsOf } from '../../../parts/feed/list.js'
import { arrive } from '../../../parts/feed/news.js'
import { atMostEvery } from '../../../shell/soon.js'
import { usePanel } from '../../context.js'
import { isMatch, type RunFilter } from './run-filter.js'

/** New runs that arrive within this time are drawn together. */
const BATCH_MS = 100
/** How often the server is asked whether new runs match a text. */
const TEXT_MS = 2000

const keep: Keep<RunSummary> = { left: null }

/** The ids of the latest list; the page of one run finds its neighbours in it. */
export const keptRuns = (): readonly (string | undefined)[] =>
  keep.left ? rowsOf(keep.left.list).map(row => (isItem(row) ? row.id : undefined)) : []

/** Whether this list was last left at its top, or never opened. */
export const keptAtTop = (filter: RunFilter): boolean =>
  keep.left?.key !== JSON.stringify(filter) || keep.left.scrollTop === 0

export function useRuns(filter: RunFilter, isHeld: boolean, open: string | undefined): Feed<RunSummary> {
  const transport = useTransport()
  const { news } = usePanel()
  const key = useMemo(() => JSON.stringify(filter), [filter])
  const read = useCallback(
    async (token: string, pageSize: number, signal?: AbortSignal) => {
      const { runs, nextPageToken, behind } = await callUnaryMethod(
        transport,
        PanelService.method.listRuns,
        { filter: JSON.parse(key) as RunFilter, pageSize, ...placeOf(token) },
        signal ? { signal } : {},
      )
      return { rows: runs, nextPageToken, behind }
    },
    [transport, key],
  )
  const feed = useFeed({ key, read, isHeld, keep, open })
  const { change, renew, holds } = feed

  useEffect(() => {
    const filter = JSON.parse(key) as RunFilter
    let arrived: RunSummary[] = []
    let hasGap = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const reloadSoon = atMostEvery(TEXT_MS, renew)
    const paint = () => {
      timer = undefined
      // A hidden page draws once, when it is visible again.
      if (document.hidden) return
      const [runs, gap] = [arrived, hasGap]
      arrived = []
      hasGap = false
      change(list => arrive(gap ? arrive(list, null, holds()) : list, runs, holds()))
    }
    const soon = () => {
      timer ??= setTimeout(paint, BATCH_MS)
    }
    const stop = news.onRuns(runs => {
      if (filter.text) return reloadSoon()
      if (runs === null) {
        hasGap = true
        arrived = []
      } else arrived.push(...runs.filter(run => isMatch(filter, run)))
      soon()
    })
    const drawLate = () => {
      if (!document.hidden && (arrived.length > 0 || hasGap)) soon()
    }
    document.addEventListener('visibilitychange', drawLate)
    let wasLive = news.state().kind === 'live'
    const unsubscribe = news.subscribe(() => {
      const isLive = news.state().kind === 'live'
      if (isLive && !wasLive) renew()
      wasLive = isLive
    })
    return () => {
      stop()
      unsubscribe()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', drawLate)
    }
  }, [news, key, change, renew, holds])

  return feed
}
