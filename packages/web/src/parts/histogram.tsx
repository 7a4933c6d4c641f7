// How many over time, stacked by verdict. One drags over it, or walks it by keys, to narrow the range; its legend
// narrows to a verdict. It loads and fails by itself, so that it never stands in the way of the rows.

import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { count as counted, figure } from '../words/number.js'
import { whole } from '../words/time.js'
import { useBox } from './box.js'
import { Button } from './button.js'
import styles from './histogram.module.css'
import {
  type Column,
  type Counted,
  dragged,
  inOrder,
  layout,
  type TimeBar,
  type TimeRange,
  zoneAt,
} from './histogram-layout.js'
import { barColour, verdictWord } from './verdict.js'

export type { Counted, TimeBar, TimeRange } from './histogram-layout.js'

export interface HistogramProps {
  readonly label: string
  /** Undefined while they are not known. */
  readonly bars: readonly TimeBar[] | undefined
  readonly error?: unknown
  readonly onRetry?: () => void
  /** What the axis spans; else from the first bar to the last. */
  readonly range?: TimeRange | undefined
  readonly onSelect?: ((range: TimeRange) => void) | undefined
  /** The sums for the legend, where they are not those of the bars; false: no legend. */
  readonly legend?: readonly Counted[] | false | undefined
  /** Empty: all are. */
  readonly chosen?: readonly string[]
  readonly onToggle?: ((name: string) => void) | undefined
  readonly noun?: string
  readonly height?: number
}

export function Histogram(props: HistogramProps) {
  const { bars, error, onRetry, height = 72 } = props
  if (bars?.length === 0) return null
  if (bars) return <Drawn {...props} bars={bars} height={height} />
  return (
    <div className={styles.chart} style={{ minHeight: height + 16 }}>
      {error ? (
        <p className={styles.failed} role="status">
          The counts over time did not load; the rows below do not need them.{' '}
          {onRetry ? (
            <Button kind="quiet" onClick={onRetry}>
              Try again
            </Button>
          ) : null}
        </p>
      ) : (
        <div className={styles.bones} style={{ height }} aria-hidden="true" />
      )}
    </div>
  )
}

const LEAST_HATCHED_PX = 8
const colourOf = (name: string) =>
  name === 'none' || name === 'silent' || name === 'answered'
    ? 'var(--bar)'
    : name === 'allow'
      ? 'color-mix(in srgb, var(--allow-bar) 28%, var(--bar))'
      : barColour(name)

function Drawn(props: HistogramProps & { readonly bars: readonly TimeBar[]; readonly height: number }) {
  const { label, bars, range, onSelect, height, noun = 'run' } = props
  const hatch = useId()
  const frame = useRef<HTMLDivElement>(null)
  const { width } = useBox(frame)
  const chart = useMemo(() => layout(bars, { width, height }, range), [bars, width, height, range])
  const [drag, setDrag] = useState<{ readonly a: number; readonly b: number } | null>(null)
  // The bar under the keys, and where Shift began.
  const [walk, setWalk] = useState<{ readonly at: number; readonly since: number } | null>(null)
  const [hovered, setHovered] = useState<Column | null>(null)
  const { columns } = chart
  const at = walk ? Math.min(walk.at, columns.length - 1) : columns.length - 1
  const since = walk ? Math.min(walk.since, columns.length - 1) : at
  const near = walk ? columns[at] : hovered

  const isDragging = drag !== null
  useEffect(() => {
    if (!isDragging) return
    const cancel = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      setDrag(null)
    }
    addEventListener('keydown', cancel, true)
    return () => removeEventListener('keydown', cancel, true)
  }, [isDragging])

  const xOf = (event: PointerEvent) => event.clientX - frame.current!.getBoundingClientRect().left
  const release = () => {
    const chosen = drag && dragged(chart, drag.a, drag.b, width)
    setDrag(null)
    if (chosen) onSelect?.(chosen)
  }
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || columns.length === 0) return
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: columns.length - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      // The first arrow shows where one stands.
      const next = Math.min(Math.max(walk || event.key === 'Home' ? to : at, 0), columns.length - 1)
      setWalk({ at: next, since: event.shiftKey ? since : next })
    } else if (event.key === 'Enter' && walk && onSelect) {
      event.preventDefault()
      setWalk(null)
      onSelect({ from: columns[Math.min(at, since)]!.from, to: columns[Math.max(at, since)]!.to })
    } else if (event.key === 'Escape' && walk) {
      event.preventDefault()
      setWalk(null)
    }
  }
  const shade = drag
    ? { x: Math.min(drag.a, drag.b), width: Math.abs(drag.a - drag.b) }
    : walk
      ? between(columns[Math.min(at, since)]!, columns[Math.max(at, since)]!)
      : null
  return (
    <div className={styles.chart}>
      <div
        ref={frame}
        className={styles.frame}
        data-can-select={onSelect ? '' : undefined}
        role="slider"
        tabIndex={0}
        aria-label={`${label}. Arrows walk, with Shift they select, Enter narrows to what is selected.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, columns.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={valueText(columns, at, since, noun)}
        onKeyDown={press}
        onBlur={() => setWalk(null)}
        onPointerDown={event => {
          if (event.button !== 0 || !onSelect) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setWalk(null)
          setDrag({ a: xOf(event), b: xOf(event) })
        }}
        onPointerMove={event => {
          const x = xOf(event)
          if (drag) setDrag({ a: drag.a, b: Math.min(Math.max(x, 0), width) })
          setHovered(columns.find(column => x >= column.x && x <= column.x + column.width + 1) ?? null)
        }}
        onPointerUp={release}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setHovered(null)}
      >
        <svg width={width} height={height + 16} aria-hidden="true" className={styles.svg}>
          <defs>
            <pattern
              id={hatch}
              width="5"
              height="5"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width="5" height="5" fill="var(--open-bg)" />
              <rect width="2.5" height="5" fill="var(--open-bar)" />
            </pattern>
          </defs>
          {chart.ticks.map(({ x, at, label }) => (
            <g key={at}>
              <line x1={x} x2={x} y1={0} y2={height + 3} className={styles.gridLine} />
              {x < width - 30 ? (
                <text x={x + 3} y={height + 13} className={styles.tick}>
                  {label}
                </text>
              ) : null}
            </g>
          ))}
          {near ? <rect x={near.x} y={0} width={near.width} height={height} className={styles.near} /> : null}
          {columns.map(column =>
            column.parts.map(part => (
              <rect
                key={`${column.from} ${part.name}`}
                x={column.x}
                y={part.y}
                width={column.width}
                height={part.height}
                fill={
                  part.name === 'failed_open' && Math.min(part.height, column.width) >= LEAST_HATCHED_PX
                    ? `url(#${hatch})`
                    : colourOf(part.name)
                }
              />
            )),
          )}
          <line x1={0} x2={width} y1={height + 0.5} y2={height + 0.5} className={styles.ground} />
          {shade ? <rect {...shade} y={0} height={height} className={styles.shade} /> : null}
        </svg>
      </div>
      {props.legend === false ? null : (
        <Legend {...props} given={props.legend} near={near ?? null} zone={zoneAt(chart.range.to)} />
      )}
    </div>
  )
}

const between = (first: Column, last: Column) => ({ x: first.x, width: last.x + last.width - first.x })

function valueText(columns: readonly Column[], at: number, since: number, noun: string): string {
  const [first, last] = [columns[Math.min(at, since)], columns[Math.max(at, since)]]
  if (!first || !last) return 'Nothing in this time'
  const sums = sumsOf(columns.slice(Math.min(at, since), Math.max(at, since) + 1))
  const total = sums.reduce((all, { count }) => all + count, 0)
  const words = sums.map(({ name, count }) => `${figure(count)} ${verdictWord(name)}`)
  return [`${whole(first.from)} to ${whole(last.to)}: ${counted(total, noun)}`, ...words].join(', ')
}

function sumsOf(bars: readonly { readonly counts: readonly Counted[] }[]): Counted[] {
  const sums = new Map<string, number>()
  for (const { counts } of bars)
    for (const { name, count } of counts) sums.set(name, (sums.get(name) ?? 0) + count)
  return inOrder([...sums].map(([name, count]) => ({ name, count })))
}

interface LegendProps extends Pick<HistogramProps, 'chosen' | 'onToggle'> {
  readonly bars: readonly TimeBar[]
  readonly given: readonly Counted[] | undefined
  readonly near: Column | null
  readonly zone: string
}

/** The sums; while a bar is looked at, those of the bar. */
function Legend({ bars, given, near, zone, chosen = [], onToggle }: LegendProps) {
  const sums = inOrder(given ?? sumsOf(bars)).reverse()
  const amount = (name: string, count: number) =>
    near ? (near.counts.find(each => each.name === name)?.count ?? 0) : count
  return (
    <div className={styles.legend}>
      {sums.map(({ name, count }) => (
        <button
          key={name}
          type="button"
          className={styles.key}
          aria-pressed={onToggle ? chosen.includes(name) : undefined}
          disabled={!onToggle}
          data-off={(chosen.length > 0 && !chosen.includes(name)) || undefined}
          onClick={() => onToggle?.(name)}
        >
          <span
            className={styles.swatch}
            data-name={name}
            style={name === 'failed_open' ? undefined : { background: colourOf(name) }}
          />
          {verdictWord(name)} <span className={styles.sum}>{figure(amount(name, count))}</span>
        </button>
      ))}
      <span className={styles.when}>{near ? `${whole(near.from)}` : zone}</span>
    </div>
  )
}
