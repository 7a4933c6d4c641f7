// A session as a tree whose rows have bars. Keys move through it; a long one draws only the rows in sight.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isElsewhere, useKeys } from '../shell/keys.js'
import { useBox } from './box.js'
import { around, sightOf, topFor } from './rows-sight.js'
import styles from './trace.module.css'
import { layout, type Segment, type Window } from './trace-layout.js'
import { TraceRow } from './trace-row.js'
import { type Node, openRows, type Tree } from './trace-tree.js'

export interface TraceProps {
  readonly label: string
  readonly tree: Tree
  readonly window: Window
  /** Given when idle time is compressed. */
  readonly segments?: readonly Segment[]
  /** The span whose detail is open. */
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
  readonly onZoom: (window: Node | null) => void
}

/** A short one is drawn completely, so that the browser can search it. */
const WHOLE_UP_TO = 200
const OVERSCAN = 12
const NARROW_PX = 480
const HEAD_PX = 28

export function Trace({ label, tree, window, segments, chosen, onChoose, onZoom }: TraceProps) {
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const { width, height: boxHeight } = useBox(box)
  const isNarrow = width > 0 && width < NARROW_PX
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = useState<string | undefined>(chosen)
  const rows = useMemo(() => openRows(tree, each => closed.has(each)), [tree, closed])
  const places = useMemo(() => new Map(rows.map((node, index) => [node.span.id, index])), [rows])
  const height = isNarrow ? 48 : matchMedia('(pointer: coarse)').matches ? 44 : 28
  // Rounded to rows: a scroll inside of one row draws nothing.
  const [scrollTop, setScrollTop] = useState(0)
  const measures = { count: rows.length, height, above: HEAD_PX }
  const { first, last } = around(
    sightOf(measures, { scrollTop, height: boxHeight }),
    rows.length,
    rows.length <= WHOLE_UP_TO ? WHOLE_UP_TO : OVERSCAN,
  )
  const lane = laneOf(width, isNarrow)
  const shown = rows.slice(first, last + 1)
  const { marks, sides, ticks } = layout({ width: lane.width }, shown, window, segments)

  // A tree that a detail covers loses its scroll position.
  const stood = useRef(0)
  const isSeen = boxHeight > 0
  useLayoutEffect(() => {
    if (isSeen && box.current!.scrollTop !== stood.current) box.current!.scrollTop = stood.current
  }, [isSeen])

  // Rows that are added above do not move the rows in sight.
  const anchor = useRef<{ tree: Tree; id: string; index: number } | null>(null)
  useLayoutEffect(() => {
    const before = anchor.current
    if (before && before.tree !== tree) {
      const index = places.get(before.id)
      if (index !== undefined && index !== before.index)
        box.current!.scrollTop += (index - before.index) * height
    }
    const top = Math.max(0, Math.floor((box.current?.scrollTop ?? 0) / height))
    const row = rows[top]
    anchor.current = row ? { tree, id: row.span.id, index: top } : null
  })

  // A link to a span opens the spans that contain it.
  const wanted = useRef(chosen)
  useEffect(() => {
    const index = wanted.current === undefined ? undefined : places.get(wanted.current)
    if (index === undefined) return
    wanted.current = undefined
    const { clientHeight } = box.current!
    box.current!.scrollTop = index * height - (clientHeight - HEAD_PX - height) / 2
  }, [places, height])
  useEffect(() => {
    if (chosen !== undefined) setSelected(chosen)
  }, [chosen])

  const at = selected === undefined ? undefined : places.get(selected)
  const node = at === undefined ? undefined : rows[at]
  const go = (index: number) => {
    const to = rows[Math.min(Math.max(index, 0), rows.length - 1)]
    if (!to) return
    setSelected(to.span.id)
    const { scrollTop, clientHeight } = box.current!
    box.current!.scrollTop = topFor(places.get(to.span.id)!, measures, { scrollTop, height: clientHeight })
    box.current!.focus({ preventScroll: true })
    // In a low window the tree itself may be outside the visible area.
    box.current!.scrollIntoView({ block: 'nearest' })
  }
  const toggle = (each: Node, isClosed: boolean) =>
    setClosed(before => {
      const after = new Set(before)
      if (isClosed) after.add(each.span.id)
      else after.delete(each.span.id)
      return after
    })
  const isShut = (each: Node) => closed.has(each.span.id)
  const key = (keys: string, name: string, run: () => void) => ({
    keys,
    label: name,
    group: 'Timeline',
    run,
    ...(keys.length > 1 ? { when: (event: KeyboardEvent) => !isElsewhere(event) } : {}),
  })
  useKeys([
    key('j', 'Next row', () => go(at === undefined ? 0 : at + 1)),
    key('ArrowDown', 'Next row', () => go(at === undefined ? 0 : at + 1)),
    key('k', 'Previous row', () => go((at ?? 1) - 1)),
    key('ArrowUp', 'Previous row', () => go((at ?? 1) - 1)),
    key('Home', 'First row', () => go(0)),
    key('End', 'Last row', () => go(rows.length - 1)),
    key('ArrowRight', 'Expand, then go to the first child', () => {
      if (!node || node.children.length === 0) return
      if (isShut(node)) toggle(node, false)
      else go(at! + 1)
    }),
    key('ArrowLeft', 'Collapse, then go to the parent', () => {
      if (!node) return
      if (node.children.length > 0 && !isShut(node)) toggle(node, true)
      else if (node.parent) go(places.get(node.parent.span.id)!)
    }),
    key('e', 'Expand all', () => setClosed(new Set())),
    key('w', 'Collapse all', () => {
      setClosed(new Set([...tree.byId.values()].filter(({ children }) => children.length > 0).map(idOf)))
      // The selection moves to the closed span.
      let top = node
      while (top?.parent) top = top.parent
      if (top) setSelected(top.span.id)
    }),
    {
      ...key('Enter', 'Open the row', () => onChoose(selected!)),
      when: event => !!node && !isElsewhere(event),
    },
    key('x', 'Zoom to the row', () => node && onZoom(node)),
    key('0', 'All of it', () => onZoom(null)),
    {
      ...key('Escape', 'Deselect the row', () => setSelected(undefined)),
      when: () => selected !== undefined && chosen === undefined,
    },
  ])
  const grid = isNarrow ? {} : { gridTemplateColumns: `${lane.name}px ${lane.width}px minmax(0, 1fr)` }
  return (
    <div className={styles.trace} data-narrow={isNarrow || undefined}>
      <div
        ref={box}
        className={styles.box}
        role="treegrid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={at !== undefined && at >= first && at <= last ? `${id}-${at}` : undefined}
        tabIndex={0}
        // In the frame of the scroll, so that no row is blank.
        onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
          if (clientHeight === 0) return
          stood.current = scrollTop
          flushSync(() => setScrollTop(Math.floor(scrollTop / height) * height))
        }}
      >
        <div className={styles.head} role="row" aria-rowindex={1} style={grid}>
          <span role="columnheader">Step</span>
          <span role="columnheader" className={styles.axis}>
            <span className="hidden">Time</span>
            {ticks.map(({ at, x, label }) => (
              <span
                key={at}
                className={styles.tick}
                style={{ transform: `translateX(${x}px)` }}
                data-last={x > lane.width - 40 || undefined}
              >
                {label}
              </span>
            ))}
          </span>
          <span role="columnheader" className={styles.took}>
            Took
          </span>
        </div>
        <div className={styles.all} role="rowgroup" style={{ height: rows.length * height }}>
          {isNarrow
            ? null
            : ticks.map(({ at, x }) => (
                <span key={at} className={styles.line} style={{ left: lane.left + x }} aria-hidden="true" />
              ))}
          {shown.map((each, offset) => {
            const index = first + offset
            return (
              <TraceRow
                key={each.span.id}
                id={`${id}-${index}`}
                node={each}
                index={index + 2}
                top={index * height}
                height={height}
                grid={grid}
                mark={marks[offset]!}
                side={sides[offset]!}
                isSelected={each.span.id === selected}
                isOpen={each.span.id === chosen}
                isShut={isShut(each)}
                onPress={() => {
                  setSelected(each.span.id)
                  onChoose(each.span.id)
                }}
                onToggle={() => toggle(each, !isShut(each))}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

const idOf = ({ span }: Node) => span.id
const PAD_PX = 20
const GAP_PX = 12
const TOOK_PX = 76

function laneOf(width: number, isNarrow: boolean) {
  if (isNarrow) return { name: 0, left: 16, width: Math.max(0, width - 32) }
  const name = Math.round((width - 2 * PAD_PX) * 0.46)
  return {
    name,
    left: PAD_PX + name + GAP_PX,
    width: Math.max(0, width - 2 * PAD_PX - name - TOOK_PX - 2 * GAP_PX),
  }
}
