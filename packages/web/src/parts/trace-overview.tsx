// The whole session in a strip. A drag zooms in; a double click shows all of it again.

import { useEffect, useMemo, useRef, useState } from 'react'
import { useBox } from './box.js'
import styles from './trace.module.css'
import { brushed, overview, type Window } from './trace-layout.js'
import type { Tree } from './trace-tree.js'
import { barColour } from './verdict.js'

export interface OverviewProps {
  readonly tree: Tree
  readonly window: Window
  readonly onZoom: (window: Window | null) => void
}

const HEIGHT = 28

export function Overview({ tree, window, onZoom }: OverviewProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { width } = useBox(frame)
  const [drag, setDrag] = useState<{ readonly a: number; readonly b: number } | null>(null)
  const { busy, grave } = useMemo(() => overview(tree, Math.min(width, 1600)), [tree, width])
  const columns = Math.max(1, Math.min(width, 1600))
  const toX = (column: number) => (column / columns) * width
  const length = Math.max(tree.to - tree.from, 1)
  const timeX = (at: number) => Math.min(width, Math.max(0, ((at - tree.from) / length) * width))
  const shade = drag
    ? { from: Math.min(drag.a, drag.b), to: Math.max(drag.a, drag.b) }
    : { from: timeX(window.from), to: timeX(window.to) }
  const isDragging = drag !== null
  useEffect(() => {
    if (!isDragging) return
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      setDrag(null)
    }
    addEventListener('keydown', cancel, true)
    return () => removeEventListener('keydown', cancel, true)
  }, [isDragging])
  const xOf = (event: React.PointerEvent) => event.clientX - frame.current!.getBoundingClientRect().left
  return (
    <div
      ref={frame}
      className={styles.overview}
      aria-hidden="true"
      data-part="overview"
      onPointerDown={event => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ a: xOf(event), b: xOf(event) })
      }}
      onPointerMove={event => {
        if (drag) setDrag({ a: drag.a, b: Math.min(Math.max(xOf(event), 0), width) })
      }}
      onPointerUp={() => {
        const chosen = drag && brushed(drag.a, drag.b, width, tree)
        setDrag(null)
        if (chosen) onZoom(chosen)
      }}
      onPointerCancel={() => setDrag(null)}
      onDoubleClick={() => onZoom(null)}
    >
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <path
          d={busy
            .map(
              column =>
                `M${toX(column)} 10h${Math.max(1, width / columns)}v12h-${Math.max(1, width / columns)}z`,
            )
            .join('')}
          fill="var(--bar)"
        />
        {[...grave].map(([column, verdict]) => (
          <rect key={column} x={toX(column) - 1} y={3} width={2} height={22} fill={barColour(verdict)} />
        ))}
        <rect x={0} y={0} width={Math.max(0, shade.from)} height={HEIGHT} className={styles.outside} />
        <rect
          x={shade.to}
          y={0}
          width={Math.max(0, width - shade.to)}
          height={HEIGHT}
          className={styles.outside}
        />
        <rect
          x={shade.from + 0.5}
          y={0.5}
          width={Math.max(1, shade.to - shade.from - 1)}
          height={HEIGHT - 1}
          className={styles.inside}
        />
      </svg>
    </div>
  )
}
