// Loads a long list: pages during scrolling, and new rows above them. Coming back to a page restores its list.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import {
  append,
  begin,
  type Item,
  isItem,
  type List,
  missing,
  PAGE,
  type Read,
  type Row,
  refill,
  rowsOf,
  standsFor,
  trim,
} from './list.js'
import { join, MOST_WAITING, release } from './news.js'

/** A smaller first page appears sooner. */
const FIRST_PAGE = 100
/** A page that is read again may have grown. */
const GROWN = 50
/** Rows around the visible ones that are loaded too, so that scrolling by keys does not wait. */
const AROUND = 50
/** Pages loaded at once. Dragging through a long list skips the others. */
const UNDER_WAY = 2

/** The state of a list that the user left. */
export interface Left<Each extends Item> {
  key: string
  list: List<Each>
  scrollTop: number
  selected: string | undefined
}

/** The store of a page's list while it is not open. */
export interface Keep<Each extends Item> {
  left: Left<Each> | null
}

export interface FeedOptions<Each extends Item> {
  /** The query as one text: another text is another list. */
  readonly key: string
  /** Stays the same as long as the key does. */
  readonly read: (pageToken: string, pageSize: number, signal?: AbortSignal) => Promise<Read<Each>>
  /** New rows wait; they also wait while a row is selected. */
  readonly isHeld: boolean
  readonly keep: Keep<Each>
  /** The row that is open beside the list. */
  readonly open: string | undefined
}

export interface Feed<Each extends Item> {
  readonly list: List<Each> | null
  readonly rows: readonly Row<Each>[]
  readonly error: unknown
  readonly selected: string | undefined
  select(id: string | undefined): void
  /** The scroll position to restore. */
  readonly scrollTop: number
  scrolled(scrollTop: number): void
  change(make: (list: List<Each>) => List<Each>): void
  /** Whether new rows wait instead of appearing. */
  holds(): boolean
  /** Checks for new rows. */
  renew(): void
  /** Shows the waiting rows on top. */
  show(): void
  /** Loads the list again, from the newest row. */
  reload(): Promise<void>
  onEnd(): void
  onSight(first: number, last: number): void
  /** The row at this distance from another, loaded if necessary. */
  beside(id: string, by: number): Promise<Each | undefined>
}

type Put<Each extends Item> = (list: List<Each>, token: string, read: Read<Each>) => List<Each>

export function useFeed<Each extends Item>({
  key,
  read,
  isHeld: isHeldOutside,
  keep,
  open,
}: FeedOptions<Each>): Feed<Each> {
  const left = keep.left?.key === key ? keep.left : null
  const [state, setState] = useState<{ key: string; list: List<Each> | null; error: unknown }>(() => ({
    key,
    list: left?.list ?? null,
    error: null,
  }))
  // Another filter: rows of the old list must not appear in the new one.
  const { list, error } = state.key === key ? state : { list: null, error: null }
  const [stands, setStands] = useState({ key, id: open ?? left?.selected })
  const stood = stands.key === key ? stands.id : open
  const selected = list && stood !== undefined ? standsFor(list, stood) : stood
  const isHeld = isHeldOutside || selected !== undefined
  const place = useRef({ key: '', scrollTop: 0 })
  const sight = useRef({ first: 0, last: 0 })
  if (place.current.key !== key) {
    place.current = { key, scrollTop: left?.scrollTop ?? 0 }
    sight.current = { first: 0, last: 0 }
  }
  const busy = useRef(new Map<string, Promise<readonly Each[]>>())
  const latest = useRef({ isHeld, selected, open, list })
  latest.current = { isHeld, selected, open, list }

  const change = useCallback(
    (make: (list: List<Each>) => List<Each>) =>
      setState(before => {
        if (before.key !== key || !before.list) return before
        const list = make(before.list)
        return list === before.list ? before : { key, list, error: null }
      }),
    [key],
  )
  const load = useCallback(
    async (signal?: AbortSignal) => {
      try {
        const first = await read('', FIRST_PAGE, signal)
        setState({ key, list: begin(first), error: null })
      } catch (error) {
        if (!signal?.aborted)
          setState(before => ({ key, list: before.key === key ? before.list : null, error }))
      }
    },
    [read, key],
  )
  /** Loads one page into its place; concurrent calls share one request. */
  const fetchInto = useCallback(
    (token: string, size: number, put: Put<Each>): Promise<readonly Each[]> => {
      const name = `${key} ${token}`
      const under = busy.current.get(name)
      if (under) return under
      const call = read(token, size)
        .then(page => {
          change(list => {
            const { selected, open } = latest.current
            const { first, last } = sight.current
            return trim(put(list, token, page), first, last, open ?? selected)
          })
          return page.rows
        })
        // Scrolling retries; the connection status reports the failure.
        .catch(() => [])
        .finally(() => busy.current.delete(name))
      busy.current.set(name, call)
      return call
    },
    [read, change, key],
  )
  const next = list?.next
  const readOn = useCallback(
    () => (next ? fetchInto(next, PAGE, append) : Promise.resolve([])),
    [next, fetchInto],
  )
  const readAgain = useCallback(
    (token: string) => fetchInto(token, latest.current.list?.anchor === null ? PAGE + GROWN : PAGE, refill),
    [fetchInto],
  )
  /** Visible, and not loaded. */
  const fill = useCallback(() => {
    const { list } = latest.current
    const { first, last } = sight.current
    if (!list) return
    for (const token of missing(list, first - AROUND, last + AROUND)) {
      if (busy.current.size >= UNDER_WAY) return
      void readAgain(token)
    }
  }, [readAgain])

  const renew = useCallback(async () => {
    if (!latest.current.list) return load()
    try {
      const newest = await read('', FIRST_PAGE)
      change(list => join(list, newest, latest.current.isHeld))
    } catch {
      // The next notification retries.
    }
  }, [read, change, load])

  useEffect(() => {
    const leaving = new AbortController()
    if (latest.current.list) void renew()
    else void load(leaving.signal)
    return () => leaving.abort()
  }, [load, renew])

  // The list is no longer held: the waiting rows appear in one paint.
  useEffect(() => {
    if (!isHeld) change(release)
  }, [isHeld, change])

  // A page that stays open for a day collects too many rows: it loads the newest again, and nothing moves.
  const isLong = (list?.head.length ?? 0) > MOST_WAITING
  useEffect(() => {
    if (isLong && !isHeld) void load()
  }, [isLong, isHeld, load])

  useEffect(() => {
    if (list) keep.left = { ...place.current, key, list, selected }
  })

  // Evicted or delayed pages may be visible in another list.
  useEffect(() => {
    if (list) fill()
  }, [list, fill])

  const rows = useMemo(() => (list ? rowsOf(list) : []), [list])
  return {
    list,
    rows,
    error,
    selected,
    select: id => setStands({ key, id }),
    scrollTop: place.current.scrollTop,
    scrolled(scrollTop) {
      place.current.scrollTop = scrollTop
      if (keep.left?.key === key) keep.left.scrollTop = scrollTop
    },
    change,
    holds: useCallback(() => latest.current.isHeld, []),
    renew: useCallback(() => void renew(), [renew]),
    show: () => change(release),
    reload: () => load(),
    onEnd: useCallback(() => void readOn(), [readOn]),
    onSight: useCallback(
      (first: number, last: number) => {
        sight.current = { first, last }
        fill()
      },
      [fill],
    ),
    async beside(id, by) {
      const at = rows.findIndex(row => row.id === id)
      if (at === -1 || at + by < 0) return undefined
      const row = rows[at + by]
      if (!row) return (await readOn())[0]
      if (isItem(row)) return row
      return 'blank' in row ? (await readAgain(row.token))[row.index] : undefined
    },
  }
}
