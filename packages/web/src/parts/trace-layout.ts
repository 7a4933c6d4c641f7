// The positions of the bars of a session. Pure: a box, spans and a window in, pixels out.

import { type AxisTick, axisLabel, axisTicks, roundStep } from './timeline-axis.js'
import type { Node, Tree } from './trace-tree.js'

export interface Window {
  readonly from: number
  readonly to: number
}

export interface Segment extends Window {
  /** Idle time: drawn short when it is compressed. */
  readonly isIdle: boolean
}

export interface AxisMark {
  readonly left: number
  readonly width: number
  /** It continues outside of the window. */
  readonly cutLeft: boolean
  readonly cutRight: boolean
}

export interface Layout {
  /** Null: it is outside of the window; `side` names the direction. */
  readonly marks: readonly (AxisMark | null)[]
  readonly sides: readonly ('in' | 'before' | 'after')[]
  readonly ticks: readonly (AxisTick & { readonly x: number })[]
}

export const LEAST_PX = 4
const TICK_PX = 64

type Spanned = Pick<Node, 'start' | 'end'>

export function layout(
  box: { readonly width: number },
  spans: readonly Spanned[],
  window: Window,
  segments: readonly Segment[] = [],
): Layout {
  const { from, to } = wide(window)
  const toX = scale({ from, to }, box.width, segments)
  const sides = spans.map(({ start, end }) => (end < from ? 'before' : start > to ? 'after' : 'in'))
  const marks = spans.map(({ start, end }, index) => {
    if (sides[index] !== 'in' || !(box.width > 0)) return null
    const [left, right] = [toX(Math.max(start, from)), toX(Math.min(end, to))]
    const width = Math.max(LEAST_PX, right - left)
    return {
      left: Math.max(0, Math.min(left, box.width - width)),
      width: Math.min(width, box.width),
      cutLeft: start < from,
      cutRight: end > to,
    }
  })
  return { marks, sides, ticks: ticksOf({ from, to }, box.width, toX, segments) }
}

/** A window without length shows a moment around itself. */
const wide = ({ from, to }: Window): Window => (to > from ? { from, to } : { from, to: from + 1 })

/** Time to pixels; idle time is compressed. */
export function scale(
  { from, to }: Window,
  width: number,
  segments: readonly Segment[] = [],
): (at: number) => number {
  const parts = segments
    .map(segment => ({ ...segment, from: Math.max(from, segment.from), to: Math.min(to, segment.to) }))
    .filter(segment => segment.to > segment.from)
  if (!parts.some(({ isIdle }) => isIdle)) return at => ((at - from) / (to - from)) * width
  const active = parts.reduce((sum, part) => sum + (part.isIdle ? 0 : part.to - part.from), 0)
  const idle = Math.max(active * IDLE_SHARE, 1)
  const weights = parts.map(part => (part.isIdle ? Math.min(part.to - part.from, idle) : part.to - part.from))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const starts: number[] = []
  let at = 0
  for (const weight of weights) {
    starts.push(at)
    at += weight
  }
  return time => {
    let index = parts.findIndex(part => time <= part.to)
    if (index === -1) index = parts.length - 1
    const part = parts[index]!
    const share = Math.min(1, Math.max(0, (time - part.from) / (part.to - part.from)))
    return ((starts[index]! + share * weights[index]!) / all) * width
  }
}

/** The share of the total that one idle stretch takes. */
const IDLE_SHARE = 0.02

function ticksOf(
  { from, to }: Window,
  width: number,
  toX: (at: number) => number,
  segments: readonly Segment[],
): Layout['ticks'] {
  const most = Math.floor(width / TICK_PX)
  if (most < 1) return []
  if (!segments.some(({ isIdle }) => isIdle)) {
    return axisTicks(from, to, most).map(tick => ({ ...tick, x: toX(tick.at) }))
  }
  // At both ends of compressed time, so that the jump is visible.
  const step = roundStep((to - from) / 200)
  const edges = segments.filter(({ isIdle }) => !isIdle).map(segment => Math.max(from, segment.from))
  const found: (AxisTick & { readonly x: number })[] = []
  for (const at of edges) {
    const x = toX(at)
    if (at > to || (found.length > 0 && x - found.at(-1)!.x < TICK_PX)) continue
    found.push({ at, x, label: axisLabel(Math.round(at / step) * step, step) })
  }
  return found
}

const LEAST_IDLE_MS = 1000
const LEAST_IDLE_PART = 0.03

/** Steps that only wait for others are not active; a tool with its hooks is. */
const isDoing = ({ children }: Node) => children.every(({ span }) => span.kind === 'hook')

/** Active stretches, and the idle ones between them. */
export function segmentsOf({ byId, from, to }: Tree): Segment[] {
  if (!(to > from)) return []
  const least = Math.max(LEAST_IDLE_MS, (to - from) * LEAST_IDLE_PART)
  const doing = [...byId.values()].filter(isDoing).sort((a, b) => a.start - b.start)
  const found: Segment[] = []
  let at = from
  let since = from
  for (const { start, end } of doing) {
    if (start - at >= least) {
      if (at > since) found.push({ from: since, to: at, isIdle: false })
      found.push({ from: at, to: start, isIdle: true })
      since = start
    }
    at = Math.max(at, end)
  }
  if (to - at >= least) {
    if (at > since) found.push({ from: since, to: at, isIdle: false })
    found.push({ from: at, to, isIdle: true })
  } else found.push({ from: since, to, isIdle: false })
  return found
}

/** 0 to 1. */
export function idlePart(segments: readonly Segment[]): number {
  const all = segments.reduce((sum, { from, to }) => sum + to - from, 0)
  const idle = segments.reduce((sum, { from, to, isIdle }) => sum + (isIdle ? to - from : 0), 0)
  return all > 0 ? idle / all : 0
}

/** 1200-3400, in milliseconds since the session began; null if it is not a window. */
export function readZoom(text: string | undefined): Window | null {
  const [, a, b] = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec(text ?? '') ?? []
  const [from, to] = [Number(a), Number(b)]
  return a !== undefined && to > from ? { from, to } : null
}

export const asZoom = ({ from, to }: Window): string => `${Number(from.toFixed(3))}-${Number(to.toFixed(3))}`

/** The window that a drag over the overview selects; null for a click. */
export function brushed(a: number, b: number, width: number, whole: Window): Window | null {
  if (Math.abs(a - b) < 4 || !(width > 0)) return null
  const at = (x: number) => whole.from + (Math.min(Math.max(x, 0), width) / width) * (whole.to - whole.from)
  const window = { from: at(Math.min(a, b)), to: at(Math.max(a, b)) }
  return window.to > window.from ? window : null
}

/** A margin around a span, so that its end is visible. */
export function around({ start, end }: Spanned, whole: Window): Window {
  const air = Math.max((end - start) * 0.05, 1)
  return { from: Math.max(whole.from, start - air), to: Math.min(Math.max(whole.to, end), end + air) }
}

/** The session in this many columns: active time, and the most severe verdict of each. */
export function overview(
  tree: Tree,
  columns: number,
): { readonly busy: number[]; readonly grave: Map<number, string> } {
  const busy = new Set<number>()
  const grave = new Map<number, string>()
  const length = tree.to - tree.from
  const columnOf = (at: number) =>
    length > 0 ? Math.min(columns - 1, Math.max(0, Math.floor(((at - tree.from) / length) * columns))) : 0
  if (columns < 1) return { busy: [], grave }
  for (const node of tree.byId.values()) {
    const { span, start, end } = node
    if (isDoing(node)) for (let column = columnOf(start); column <= columnOf(end); column++) busy.add(column)
    const rank = GRAVE.indexOf(span.verdict)
    if (rank === -1) continue
    const column = columnOf(start)
    if (rank > GRAVE.indexOf(grave.get(column) ?? '')) grave.set(column, span.verdict)
  }
  return { busy: [...busy], grave }
}

const GRAVE = ['ask', 'failed_open', 'deny']
