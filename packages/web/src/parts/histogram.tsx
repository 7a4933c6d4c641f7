// Counts over time, stacked by verdict. A drag, or the arrow keys, narrow the range; the legend narrows to a verdict. The
// same figures can be read as a table. It loads and fails on its own, so that it never delays the rows.

import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { count as counted, figure, rough } from '../words/number.js'
import { whole } from '../words/time.js'
import { useBox } from './box.js'
import { Button } from './button.js'
import styles from './histogram.module.css'
import {
  type Chart,
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

export interface HistogramProps {
  readonly label: string
  /** Undefined while they are not known. */
  readonly bars: readonly TimeBar[] | undefined
  readonly error?: unknown
  readonly onRetry?: () => void
  /** The span of the axis; by default from the first bar to the last. */
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

/** For the labels of the axis of time, and of the axis of counts. */
const AXIS_PX = 18
const GUTTER_PX = 34

/** Before there are bars, and without any, it is as high as with them: nothing below it moves. */
export function Histogram(props: HistogramProps) {
  const { bars, error, onRetry, height = 72, legend } = props
  if (bars && bars.length > 0) return <Drawn {...props} bars={bars} height={height} />
  return (
    <div className={styles.chart}>
      <div className={styles.empty} style={{ height: height + AXIS_PX }}>
        {bars ? (
          <p>Nothing in this period.</p>
        ) : error ? (
          <p role="status">
            The counts over time did not load; the rows below do not need them.{' '}
            {onRetry ? (
              <Button kind="quiet" onClick={onRetry}>
                Try again
              </Button>
            ) : null}
          </p>
        ) : (
          <div className={styles.bones} aria-hidden="true" />
        )}
      </div>
      {legend === false ? null : <div className={styles.legend} />}
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
  const frame = useRef<HTMLDivElement>(null)
  const { width: frameWidth } = useBox(frame)
  const width = Math.max(0, frameWidth - GUTTER_PX)
  const chart = useMemo(() => layout(bars, { width, height }, range), [bars, width, height, range])
  const [drag, setDrag] = useState<{ readonly a: number; readonly b: number } | null>(null)
  // The bar that the keys are on, and where Shift began.
  const [walk, setWalk] = useState<{ readonly at: number; readonly since: number } | null>(null)
  const [hovered, setHovered] = useState<Column | null>(null)
  const [isTable, setTable] = useState(false)
  const { columns } = chart
  const at = walk ? Math.min(walk.at, columns.length - 1) : columns.length - 1
  const since = walk ? Math.min(walk.since, columns.length - 1) : at
  const near = (walk ? columns[at] : hovered) ?? null

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

  const xOf = (event: PointerEvent) => event.clientX - frame.current!.getBoundingClientRect().left - GUTTER_PX
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
      // The first arrow only shows the current bar.
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
  const keys = `Arrow keys move${onSelect ? ', Shift selects, Enter narrows to the selection' : ''}.`
  return (
    <div className={styles.chart}>
      {isTable ? (
        <Table label={label} columns={columns} height={height + AXIS_PX} />
      ) : (
        <div
          ref={frame}
          className={styles.frame}
          data-can-select={onSelect ? '' : undefined}
          role="group"
          tabIndex={0}
          aria-roledescription="bar chart"
          aria-label={`${label}: ${describe(columns, 0, columns.length - 1, noun)}. ${keys}`}
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
          <Plot chart={chart} width={width} height={height} near={near} shade={shade} />
          <span className="hidden" role="status">
            {walk ? describe(columns, Math.min(at, since), Math.max(at, since), noun) : ''}
          </span>
        </div>
      )}
      {near && !isTable ? (
        <Tooltip column={near} left={near.x + GUTTER_PX} isRight={near.x > width / 2} noun={noun} />
      ) : null}
      {props.legend === false ? null : (
        <Legend {...props} given={props.legend} zone={zoneAt(chart.range.to)}>
          <button
            type="button"
            className={styles.key}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            Table
          </button>
        </Legend>
      )}
    </div>
  )
}

interface PlotProps {
  readonly chart: Chart
  readonly width: number
  readonly height: number
  readonly near: Column | null
  readonly shade: { readonly x: number; readonly width: number } | null
}

function Plot({ chart: { columns, ticks, ceiling }, width, height, near, shade }: PlotProps) {
  const hatch = useId()
  const levels = ceiling > 0 ? [0, ceiling / 2, ceiling].filter(Number.isInteger) : []
  return (
    <svg width={width + GUTTER_PX} height={height + AXIS_PX} aria-hidden="true" className={styles.svg}>
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--open-bg)" />
          <rect width="2.5" height="5" fill="var(--open-bar)" />
        </pattern>
      </defs>
      {levels.map(level => {
        const y = height - (level / ceiling) * height
        return (
          <g key={level}>
            <line
              x1={GUTTER_PX}
              x2={width + GUTTER_PX}
              y1={y + 0.5}
              y2={y + 0.5}
              className={styles.gridLine}
            />
            <text x={GUTTER_PX - 6} y={Math.max(9, y + 4)} className={styles.tick} textAnchor="end">
              {rough(level)}
            </text>
          </g>
        )
      })}
      <g transform={`translate(${GUTTER_PX} 0)`}>
        {ticks.map(({ x, at, label }) => (
          <g key={at}>
            <line x1={x} x2={x} y1={height} y2={height + 4} className={styles.gridLine} />
            {x < width - 30 ? (
              <text x={x + 3} y={height + 14} className={styles.tick}>
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
        {shade ? <rect {...shade} y={0} height={height} className={styles.shade} /> : null}
      </g>
    </svg>
  )
}

interface TooltipProps {
  readonly column: Column
  readonly left: number
  /** It opens to the left. */
  readonly isRight: boolean
  readonly noun: string
}

const Tooltip = ({ column, left, isRight, noun }: TooltipProps) => (
  <div
    className={styles.tooltip}
    aria-hidden="true"
    style={isRight ? { right: `calc(100% - ${left}px)` } : { left: left + column.width }}
  >
    <strong>{counted(column.total, noun)}</strong>
    <span>
      {whole(column.from)} –<br />
      {whole(column.to)}
    </span>
    {inOrder(column.counts)
      .reverse()
      .map(({ name, count }) => (
        <span key={name} className={styles.tooltipRow}>
          <Swatch name={name} /> {verdictWord(name)} <b>{figure(count)}</b>
        </span>
      ))}
  </div>
)

function Table({ label, columns, height }: { label: string; columns: readonly Column[]; height: number }) {
  const names = inOrder(sumsOf(columns))
    .map(({ name }) => name)
    .reverse()
  const shown = columns.filter(({ total }) => total > 0)
  return (
    <div className={styles.tableBox} style={{ height }} role="region" aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {['From', 'To', ...names.map(verdictWord), 'All'].map(head => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ from, to, counts, total }) => (
            <tr key={from}>
              <th scope="row">{whole(from)}</th>
              <td>{whole(to)}</td>
              {names.map(name => (
                <td key={name}>{figure(counts.find(each => each.name === name)?.count ?? 0)}</td>
              ))}
              <td>{figure(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const between = (first: Column, last: Column) => ({ x: first.x, width: last.x + last.width - first.x })

function describe(columns: readonly Column[], from: number, to: number, noun: string): string {
  const [first, last] = [columns[from], columns[to]]
  if (!first || !last) return 'Nothing in this period'
  const sums = sumsOf(columns.slice(from, to + 1))
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
  readonly zone: string
  readonly children: React.ReactNode
}

const Swatch = ({ name }: { readonly name: string }) => (
  <span
    className={styles.swatch}
    data-name={name}
    style={name === 'failed_open' ? undefined : { background: colourOf(name) }}
  />
)

function Legend({ bars, given, zone, chosen = [], onToggle, children }: LegendProps) {
  const sums = inOrder(given ?? sumsOf(bars)).reverse()
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
          <Swatch name={name} />
          {verdictWord(name)} <span className={styles.sum}>{figure(count)}</span>
        </button>
      ))}
      <span className={styles.when}>{zone}</span>
      {children}
    </div>
  )
}
