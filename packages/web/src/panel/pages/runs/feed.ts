// The list of runs, with the runs that come while one looks at it.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { useCallback, useEffect, useMemo } from 'react'
import { PanelService, type RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { type Feed, type Keep, useFeed } from '../../../parts/feed/feed.js'
import { isItem, placeOf, rowsOf } from '../../../parts/feed/list.js'
import { arrive } from '../../../parts/feed/news.js'
import { atMostEvery } from '../../../shell/soon.js'
import { usePanel } from '../../context.js'
import { type Asked, fits } from './asked.js'

/** News are painted together. */
const BATCH_MS = 100
/** How often the server is asked whether news match a text. */
const TEXT_MS = 2000

const keep: Keep<RunSummary> = { left: null }

/** The list that was looked at last; a run's own page finds its neighbours in it. */
export const keptRuns = (): readonly (string | undefined)[] =>
  keep.left ? rowsOf(keep.left.list).map(row => (isItem(row) ? row.id : undefined)) : []

/** Whether one stood at the top of this list when one left it, or never was in it. */
export const keptAtTop = (asked: Asked): boolean =>
  keep.left?.key !== JSON.stringify(asked) || keep.left.scrollTop === 0

export function useRuns(asked: Asked, isHeld: boolean, open: string | undefined): Feed<RunSummary> {
  const transport = useTransport()
  const { news } = usePanel()
  const key = useMemo(() => JSON.stringify(asked), [asked])
  const read = useCallback(
    async (token: string, pageSize: number, signal?: AbortSignal) => {
      const { runs, nextPageToken, behind } = await callUnaryMethod(
        transport,
        PanelService.method.listRuns,
        { filter: JSON.parse(key) as Asked, pageSize, ...placeOf(token) },
        signal ? { signal } : {},
      )
      return { rows: runs, nextPageToken, behind }
    },
    [transport, key],
  )
  const feed = useFeed({ key, read, isHeld, keep, open })
  const { change, renew, holds } = feed

  useEffect(() => {
    const filter = JSON.parse(key) as Asked
    let came: RunSummary[] = []
    let hasGap = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const askServer = atMostEvery(TEXT_MS, renew)
    const paint = () => {
      timer = undefined
      // Nobody looks: it waits, and is painted once.
      if (document.hidden) return
      const [runs, gap] = [came, hasGap]
      came = []
      hasGap = false
      change(list => arrive(gap ? arrive(list, null, holds()) : list, runs, holds()))
    }
    const soon = () => {
      timer ??= setTimeout(paint, BATCH_MS)
    }
    const stop = news.onRuns(runs => {
      if (filter.text) return askServer()
      if (runs === null) {
        hasGap = true
        came = []
      } else came.push(...runs.filter(run => fits(filter, run)))
      soon()
    })
    const seen = () => {
      if (!document.hidden && (came.length > 0 || hasGap)) soon()
    }
    document.addEventListener('visibilitychange', seen)
    let wasLive = news.state().kind === 'live'
    const heard = news.subscribe(() => {
      const isLive = news.state().kind === 'live'
      if (isLive && !wasLive) renew()
      wasLive = isLive
    })
    return () => {
      stop()
      heard()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [news, key, change, renew, holds])

  return feed
}
