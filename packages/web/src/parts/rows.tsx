// A long list of which only what is seen is drawn. One can walk it by keys; what is chosen stays where it is.

import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { useKeys } from '../shell/keys.js'
import styles from './rows.module.css'

export interface RowsProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
  readonly draw: (row: Row) => ReactNode
  readonly head?: ReactNode
  /** A strip under the head: new rows wait. */
  readonly strip?: ReactNode
  readonly height?: number
  /** All there are, when not all are here. */
  readonly total?: number
  /** Nearing the end: read on. */
  readonly onEnd?: (() => void) | undefined
  /** Whether the first row is in sight: then new ones may come in above it. */
  readonly onTop?: (isTop: boolean) => void
  readonly rowClass?: string
}

export function Rows<Row>(props: RowsProps<Row>) {
  const { label, rows, keyOf, chosen, onChoose, draw, head, strip, height = 32, total, onEnd, onTop } = props
  const box = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: index => keyOf(rows[index]!),
    overscan: 8,
  })
  const items = list.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 20) onEnd?.()
  }, [last, rows.length, onEnd])

  const at = chosen === undefined ? -1 : rows.findIndex(row => keyOf(row) === chosen)
  const walk = (step: number) => {
    const next = Math.min(Math.max(at === -1 ? 0 : at + step, 0), rows.length - 1)
    const row = rows[next]
    if (!row) return
    onChoose(keyOf(row))
    list.scrollToIndex(next)
  }
  const keys = (all: readonly string[], name: string, run: () => void) =>
    all.map(key => ({ keys: key, label: name, group: 'List', run }))
  useKeys([
    ...keys(['j', 'ArrowDown'], 'Next row', () => walk(1)),
    ...keys(['k', 'ArrowUp'], 'Row before', () => walk(-1)),
    ...keys(['Home'], 'First row', () => walk(-rows.length)),
    ...keys(['End'], 'Last row', () => walk(rows.length)),
  ])
  return (
    <div className={styles.rows} role="grid" aria-label={label} aria-rowcount={(total ?? rows.length) + 1}>
      {head ? (
        <div className={`${styles.head} ${props.rowClass ?? ''}`} role="row" aria-rowindex={1}>
          {head}
        </div>
      ) : null}
      {strip}
      <div
        className={styles.box}
        ref={box}
        role="rowgroup"
        tabIndex={0}
        onScroll={event => onTop?.(event.currentTarget.scrollTop < height)}
      >
        <div className={styles.all} style={{ height: list.getTotalSize() }}>
          {items.map(item => {
            const row = rows[item.index]!
            return (
              <div
                key={item.key}
                role="row"
                tabIndex={-1}
                aria-rowindex={item.index + 2}
                aria-selected={keyOf(row) === chosen}
                className={`${styles.row} ${props.rowClass ?? ''}`}
                style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                onClick={() => onChoose(keyOf(row))}
              >
                {draw(row)}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** A cell of a row or of the head. */
export const Cell = ({
  head = false,
  className,
  children,
  title,
}: {
  readonly head?: boolean
  readonly className?: string | undefined
  readonly children?: ReactNode
  readonly title?: string
}) => (
  <span
    role={head ? 'columnheader' : 'gridcell'}
    className={[styles.cell, className].filter(Boolean).join(' ')}
    title={title}
  >
    {children}
  </span>
)
