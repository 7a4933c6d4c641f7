// A long list that draws only the rows in sight. Keys move through it and Enter opens a row. Rows that are added or
// removed elsewhere do not move the rows in sight.

import {
  type MouseEvent,
  memo,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { isElsewhere, useKeys } from '../shell/keys.js'
import { useBox } from './box.js'
import styles from './rows.module.css'
import { around, sightOf, topFor } from './rows-sight.js'

export interface RowsProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** The row that is open beside the list. */
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
  /** The address of a row: it opens in a new tab and can be copied. */
  readonly hrefOf?: ((row: Row) => string | undefined) | undefined
  readonly draw: (row: Row) => ReactNode
  readonly head?: ReactNode
  /** A note over the lower edge: new rows are available. */
  readonly strip?: ReactNode
  readonly height?: number
  /** Of two-line rows, where the list is narrower than 480 px. */
  readonly narrowHeight?: number
  /** The number of all rows, when not all are loaded; null: not counted. */
  readonly total?: number | null | undefined
  /** Called near the end, to load more. */
  readonly onEnd?: (() => void) | undefined
  /** Which rows are in sight, first and last. */
  readonly onSight?: ((first: number, last: number) => void) | undefined
  /** Whether the first row is in sight: then new rows may be added above it. */
  readonly onTop?: (isTop: boolean) => void
  readonly rowClass?: string
  /** The row that the keys are on; without it, the list keeps it itself. */
  readonly selected?: string | undefined
  readonly onSelect?: ((key: string | undefined) => void) | undefined
  /** The scroll position to restore. */
  readonly scrollTop?: number
  readonly onScrolled?: (scrollTop: number) => void
  readonly ref?: Ref<RowsHandle>
}

export interface RowsHandle {
  toTop(): void
  focus(): void
}

const NARROW_PX = 480
const COARSE_PX = 44
const HEAD_PX = 28
/** The note over the lower edge, with its distance. */
const STRIP_PX = 48
const OVERSCAN = 8
/** Loads more at this distance from the end, so that a held key does not wait. */
const READ_AHEAD = 50
const isCoarse = () => matchMedia('(pointer: coarse)').matches

export function Rows<Row>(props: RowsProps<Row>) {
  const { label, rows, keyOf, chosen, onChoose, draw, head, strip, total, onEnd, onTop, onSight } = props
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const { width, height: boxHeight } = useBox(box)
  const isNarrow = props.narrowHeight !== undefined && width > 0 && width < NARROW_PX
  const wide = props.height ?? 32
  const height = isNarrow ? props.narrowHeight! : isCoarse() ? Math.max(wide, COARSE_PX) : wide
  const [own, setOwn] = useState<string | undefined>(chosen)
  const selected = props.onSelect ? props.selected : own
  const select = props.onSelect ?? setOwn
  const hasStrip = !!strip
  const above = head && !isNarrow ? HEAD_PX : 0
  const below = hasStrip ? STRIP_PX : 0
  const position = useRef(props.scrollTop ?? 0)
  // Rounded to rows: a scroll inside of one row draws nothing.
  const [scrollTop, setScrollTop] = useState(position.current)
  const measures = { count: rows.length, height, above }
  const sight = sightOf(measures, { scrollTop, height: boxHeight })
  const { first, last } = around(sight, rows.length, OVERSCAN)
  const reveal = (index: number) => {
    const { scrollTop, clientHeight } = box.current!
    box.current!.scrollTop = topFor(index, measures, { scrollTop, height: clientHeight - below })
  }
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - READ_AHEAD) onEnd?.()
  }, [last, rows.length, onEnd])
  useEffect(() => onSight?.(first, last), [first, last, onSight])

  // Rows that are added or removed above do not move the rows in sight.
  const drawn = useRef<{ rows: readonly Row[]; sight: typeof sight } | null>(null)
  useLayoutEffect(() => {
    const before = drawn.current
    drawn.current = { rows, sight }
    if (!before || before.rows === rows || box.current!.scrollTop < height) return
    // By the first row in sight, or by the last one where the first is gone.
    for (const index of [before.sight.first, before.sight.last]) {
      const row = before.rows[index]
      if (!row) return
      const key = keyOf(row)
      const moved =
        rows[index] && keyOf(rows[index]) === key ? index : rows.findIndex(each => keyOf(each) === key)
      if (moved === -1) continue
      if (moved !== index) box.current!.scrollTop += (moved - index) * height
      return
    }
  })

  // A list that a detail covers loses its scroll position.
  const isVisible = boxHeight > 0
  useLayoutEffect(() => {
    if (isVisible && box.current!.scrollTop !== position.current) box.current!.scrollTop = position.current
  }, [isVisible])

  const at = useMemo(
    () => (selected === undefined ? -1 : rows.findIndex(row => keyOf(row) === selected)),
    [rows, selected, keyOf],
  )
  // Opened from elsewhere: by the keys of the detail, or by going back.
  const openAt = useMemo(
    () => (chosen === undefined ? -1 : rows.findIndex(row => keyOf(row) === chosen)),
    [rows, chosen, keyOf],
  )
  const shown = useRef(chosen)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row moves the list
  useEffect(() => {
    if (chosen !== undefined && openAt === -1) return
    if (shown.current !== chosen && openAt !== -1) reveal(openAt)
    shown.current = chosen
  }, [chosen, openAt])
  const walk = (step: number) => {
    const next = Math.min(Math.max(at === -1 ? Math.max(0, step - 1) : at + step, 0), rows.length - 1)
    const row = rows[next]
    if (!row) return
    select(keyOf(row))
    reveal(next)
    box.current!.focus({ preventScroll: true })
    // In a low window the list itself may be outside the visible area.
    box.current!.scrollIntoView({ block: 'nearest' })
  }
  const keys = (all: readonly string[], name: string, run: () => void) =>
    all.map(key => ({
      keys: key,
      label: name,
      group: 'List',
      run,
      ...(key.length > 1 ? { when: (event: KeyboardEvent) => !isElsewhere(event) } : {}),
    }))
  useKeys([
    ...keys(['j', 'ArrowDown'], 'Next row', () => walk(1)),
    ...keys(['k', 'ArrowUp'], 'Previous row', () => walk(-1)),
    ...keys(['Home'], 'First row', () => walk(-rows.length)),
    ...keys(['End'], 'Last row', () => walk(rows.length)),
    {
      keys: 'Enter',
      label: 'Open the row',
      group: 'List',
      when: event => at !== -1 && !isElsewhere(event),
      run: () => onChoose(selected!),
    },
    {
      keys: 'Escape',
      label: 'Deselect the row',
      group: 'List',
      when: () => selected !== undefined && chosen === undefined,
      run: () => select(undefined),
    },
  ])
  useImperativeHandle(props.ref, () => ({
    toTop: () => {
      position.current = 0
      box.current?.scrollTo({ top: 0 })
    },
    focus: () => box.current?.focus({ preventScroll: true }),
  }))
  const press = useRef((key: string) => void key)
  press.current = key => {
    select(key)
    onChoose(key)
  }
  const onPress = useRef((key: string) => press.current(key)).current
  return (
    <div className={styles.rows} data-narrow={isNarrow || undefined}>
      <div
        className={styles.box}
        ref={box}
        role="grid"
        aria-label={label}
        aria-rowcount={total === null ? -1 : (total ?? rows.length) + (head ? 1 : 0)}
        aria-activedescendant={at >= first && at <= last ? `${id}-${at}` : undefined}
        tabIndex={0}
        onScroll={event => {
          const { scrollTop, clientHeight } = event.currentTarget
          if (clientHeight === 0) return
          position.current = scrollTop
          // In the frame of the scroll, so that no row is blank.
          flushSync(() => setScrollTop(Math.floor(scrollTop / height) * height))
          onTop?.(scrollTop < height)
          props.onScrolled?.(scrollTop)
        }}
      >
        {head ? (
          <div className={`${styles.head} ${props.rowClass ?? ''}`} role="row" aria-rowindex={1}>
            {head}
          </div>
        ) : null}
        <div className={styles.all} role="rowgroup" style={{ height: rows.length * height + below }}>
          {rows.slice(first, last + 1).map((row, offset) => {
            const index = first + offset
            const key = keyOf(row)
            return (
              <OneRow
                key={key}
                id={`${id}-${index}`}
                row={row}
                rowKey={key}
                href={props.hrefOf?.(row)}
                index={index + (head ? 2 : 1)}
                top={index * height}
                height={height}
                isSelected={key === selected}
                isOpen={key === chosen}
                className={props.rowClass ?? ''}
                draw={draw as (row: unknown) => ReactNode}
                onPress={onPress}
              />
            )
          })}
        </div>
      </div>
      {strip ? <div className={styles.strip}>{strip}</div> : null}
    </div>
  )
}

interface OneRowProps {
  readonly id: string
  readonly row: unknown
  readonly rowKey: string
  readonly href: string | undefined
  readonly index: number
  readonly top: number
  readonly height: number
  readonly isSelected: boolean
  readonly isOpen: boolean
  readonly className: string
  readonly draw: (row: unknown) => ReactNode
  readonly onPress: (key: string) => void
}

const opensElsewhere = (event: MouseEvent) => event.ctrlKey || event.metaKey || event.shiftKey || event.altKey

/** Drawn once, however often the list scrolls. */
const OneRow = memo(
  ({
    id,
    row,
    rowKey,
    href,
    index,
    top,
    height,
    isSelected,
    isOpen,
    className,
    draw,
    onPress,
  }: OneRowProps) => {
    const Element = href === undefined ? 'div' : 'a'
    return (
      <Element
        id={id}
        role="row"
        aria-rowindex={index}
        aria-selected={isSelected || isOpen}
        data-open={isOpen || undefined}
        className={`${styles.row} ${className}`}
        style={{ height, transform: `translateY(${top}px)` }}
        // The keys of the list reach it.
        {...(href === undefined ? {} : { href, tabIndex: -1, draggable: false })}
        onClick={(event: MouseEvent) => {
          if (href !== undefined && opensElsewhere(event)) return
          event.preventDefault()
          onPress(rowKey)
        }}
      >
        {draw(row)}
      </Element>
    )
  },
)
