// The list of runs with everything that reads into it: pages as one scrolls, new runs as they come.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { PanelService, type RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { atMostEvery } from '../../../shell/soon.js'
import { usePanel } from '../../context.js'
import { type Asked, fits } from './asked.js'
import {
  append,
  arrive,
  begin,
  type List,
  MOST_WAITING,
  missing,
  refill,
  release,
  rowsOf,
  trim,
} from './list.js'

const PAGE = 200
/** What one sees first comes first. */
const FIRST_PAGE = 100
/** News are painted together. */
const BATCH_MS = 100
/** How often the server is asked whether news match a text. */
const TEXT_MS = 2000

/** What was left, for who comes back to it. */
interface Kept {
  key: string
  list: List
  scrollTop: number
  selected: string | undefined
}
let kept: Kept | null = null

/** The list that was looked at last; a run's own page finds its neighbours in it. */
export const keptRuns = (): readonly string[] => (kept ? rowsOf(kept.list).map(({ id }) => id) : [])

/** Where one stood in this list, if it is the one that was left. */
export const keptPlace = (asked: Asked): Pick<Kept, 'scrollTop' | 'selected'> =>
  kept?.key === JSON.stringify(asked) ? kept : { scrollTop: 0, selected: undefined }

export interface Feed {
  readonly list: List | null
  readonly rows: ReturnType<typeof rowsOf>
  readonly error: unknown
  /** Where one stood, when one comes back. */
  readonly stood: Pick<Kept, 'scrollTop' | 'selected'>
  remember(what: Partial<Pick<Kept, 'scrollTop' | 'selected'>>): void
  /** All that wait stand on top. */
  show(): void
  /** From the newest, anew. */
  reload(): void
  onEnd(): void
  onSight(first: number, last: number): void
}

export function useFeed(asked: Asked, isHeld: boolean): Feed {
  const transport = useTransport()
  const { news } = usePanel()
  const key = useMemo(() => JSON.stringify(asked), [asked])
  const [state, setState] = useState<{ key: string; list: List | null; error: unknown }>(() => ({
    key,
    list: kept?.key === key ? kept.list : null,
    error: null,
  }))
  // Another filter: nothing of the old list may be taken for the new one.
  const current = state.key === key ? state : { key, list: null, error: null }
  const place = useRef({ key: '', scrollTop: 0, selected: undefined as string | undefined })
  if (place.current.key !== key) {
    const { scrollTop, selected } = kept?.key === key ? kept : { scrollTop: 0, selected: undefined }
    place.current = { key, scrollTop, selected }
  }
  const sight = useRef({ first: 0, last: 0 })
  const busy = useRef(new Set<string>())
  const held = useRef(isHeld)
  held.current = isHeld

  const change = useCallback(
    (make: (list: List) => List) =>
      setState(before => {
        if (before.key !== key || !before.list) return before
        const list = make(before.list)
        return list === before.list ? before : { key, list, error: null }
      }),
    [key],
  )
  const read = useCallback(
    async (pageToken: string, signal?: AbortSignal) =>
      callUnaryMethod(
        transport,
        PanelService.method.listRuns,
        { filter: JSON.parse(key) as Asked, pageSize: pageToken === '' ? FIRST_PAGE : PAGE, pageToken },
        signal ? { signal } : {},
      ),
    [transport, key],
  )
  const load = useCallback(
    async (signal?: AbortSignal) => {
      try {
        const first = await read('', signal)
        setState({ key, list: begin(first), error: null })
      } catch (error) {
        if (!signal?.aborted)
          setState(before => ({ key, list: before.key === key ? before.list : null, error }))
      }
    },
    [read, key],
  )
  /** One page into its place; two askers get one call. */
  const fetchInto = useCallback(
    async (token: string, put: typeof append) => {
      if (busy.current.has(token)) return
      busy.current.add(token)
      try {
        const page = await read(token)
        change(list => trim(put(list, token, page), sight.current.first, sight.current.last))
      } catch {
        // Scrolling on asks again; the connection says by itself that it is gone.
      } finally {
        busy.current.delete(token)
      }
    },
    [read, change],
  )

  /** What came while nobody listened: read, and put above what is known. */
  const catchUp = useCallback(async () => {
    try {
      const { runs, nextPageToken } = await read('')
      change(list => {
        const known = new Set(rowsOf(list).map(({ id }) => id))
        const isJoined = runs.some(run => known.has(run.id)) || nextPageToken === ''
        const fresh = runs.filter(run => !known.has(run.id)).reverse()
        if (fresh.length === 0) return list
        return arrive(isJoined ? list : arrive(list, null, held.current), fresh, held.current)
      })
    } catch {
      // The next news ask again.
    }
  }, [read, change])

  const hasList = useRef(false)
  hasList.current = current.list !== null
  useEffect(() => {
    const leaving = new AbortController()
    if (hasList.current) void catchUp()
    else void load(leaving.signal)
    return () => leaving.abort()
  }, [load, catchUp])

  useEffect(() => {
    const filter = JSON.parse(key) as Asked
    let came: RunSummary[] = []
    let hasGap = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const askServer = atMostEvery(TEXT_MS, () => void catchUp())
    const paint = () => {
      timer = undefined
      // Nobody looks: it waits, and is painted once.
      if (document.hidden) return
      const [runs, gap] = [came, hasGap]
      came = []
      hasGap = false
      change(list => arrive(gap ? arrive(list, null, held.current) : list, runs, held.current))
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
      if (isLive && !wasLive) void (hasList.current ? catchUp() : load())
      wasLive = isLive
    })
    return () => {
      stop()
      heard()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [news, key, change, catchUp, load])

  // Nobody is held up any more: what waited comes in, in one paint.
  useEffect(() => {
    if (!isHeld) change(release)
  }, [isHeld, change])

  // A day at the top brings more than one wants to keep: the newest are read anew, which moves nothing.
  const isLong = (current.list?.head.length ?? 0) > MOST_WAITING
  useEffect(() => {
    if (isLong && !isHeld) void load()
  }, [isLong, isHeld, load])

  useEffect(() => {
    if (current.list) kept = { ...place.current, key, list: current.list }
  })

  const rows = useMemo(() => (current.list ? rowsOf(current.list) : []), [current.list])
  const { list } = current
  return {
    list,
    rows,
    error: current.error,
    stood: place.current,
    remember: what => {
      Object.assign(place.current, what)
      if (kept?.key === key) Object.assign(kept, what)
    },
    show: () => change(release),
    reload: () => void load(),
    onEnd: useCallback(() => {
      if (list?.next) void fetchInto(list.next, append)
    }, [list?.next, fetchInto]),
    onSight: useCallback(
      (first: number, last: number) => {
        sight.current = { first, last }
        if (list) for (const token of missing(list, first, last)) void fetchInto(token, refill)
      },
      [list, fetchInto],
    ),
  }
}
