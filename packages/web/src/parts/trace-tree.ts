// Spans of a session as rows of a tree. Built with a map and without recursion: a session may hold tens of thousands of
// spans, hundreds deep, with contradictory times.

export interface SpanLike {
  readonly id: string
  readonly parentId: string
  readonly kind: string
  readonly name: string
  readonly subject: string
  readonly startMs: number
  readonly endMs?: number | undefined
  readonly event: string
  readonly verdict: string
  readonly source: string
  readonly runId: string
}

export interface Node {
  readonly span: SpanLike
  readonly depth: number
  readonly parent: Node | null
  readonly children: readonly Node[]
  readonly start: number
  /** Never before the start. */
  readonly end: number
  /** Its end is unknown. */
  readonly isOpen: boolean
  /** Its end is before its start: two clocks. */
  readonly isSkewed: boolean
}

interface Growing extends Node {
  depth: number
  parent: Growing | null
  children: Growing[]
  start: number
  end: number
  isOpen: boolean
  isSkewed: boolean
}

export interface Tree {
  readonly roots: readonly Node[]
  readonly size: number
  readonly byId: ReadonlyMap<string, Node>
  /** From the first start to the last end. */
  readonly from: number
  readonly to: number
}

export function growTree(spans: readonly SpanLike[]): Tree {
  const byId = new Map<string, Growing>()
  for (const span of spans) if (!byId.has(span.id)) byId.set(span.id, seed(span))
  const roots: Growing[] = []
  for (const node of byId.values()) {
    const parent = node.span.parentId === '' ? undefined : byId.get(node.span.parentId)
    // Without a parent, or with itself as its parent, it is a root.
    if (!parent || parent === node) roots.push(node)
    else {
      node.parent = parent
      parent.children.push(node)
    }
  }
  let reached = walk(roots)
  // A cycle has no root: one of its spans becomes one.
  if (reached < byId.size) {
    for (const node of byId.values()) {
      if (node.depth >= 0) continue
      if (node.parent) node.parent.children = node.parent.children.filter(child => child !== node)
      node.parent = null
      roots.push(node)
      reached += walk([node])
    }
  }
  roots.sort(byStart)
  const [from, to] = settleTimes(roots)
  return { roots, size: byId.size, byId, from, to }
}

const seed = (span: SpanLike): Growing => ({
  span,
  depth: -1,
  parent: null,
  children: [],
  start: span.startMs,
  end: span.endMs ?? Number.NaN,
  isOpen: false,
  isSkewed: false,
})

const byStart = (a: Growing, b: Growing) => a.start - b.start || 0

/** Sets the depth of all spans below; returns their number. */
function walk(tops: readonly Growing[]): number {
  const stack = [...tops]
  for (const node of stack) node.depth = 0
  let met = 0
  for (let node = stack.pop(); node; node = stack.pop()) {
    met++
    for (const child of node.children) {
      child.depth = node.depth + 1
      stack.push(child)
    }
  }
  return met
}

/** Parents first; a span without an end then ends with its last child. */
function settleTimes(roots: readonly Growing[]): [number, number] {
  const order: Growing[] = []
  const stack = [...roots]
  for (let node = stack.pop(); node; node = stack.pop()) {
    order.push(node)
    if (!Number.isFinite(node.start)) node.start = node.parent?.start ?? 0
    for (const child of node.children) stack.push(child)
  }
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let index = order.length - 1; index >= 0; index--) {
    const node = order[index]!
    node.children.sort(byStart)
    node.isOpen = !Number.isFinite(node.end)
    if (node.isOpen) {
      node.end = node.start
      for (const child of node.children) node.end = Math.max(node.end, child.end)
    } else if (node.end < node.start) {
      node.isSkewed = true
      node.end = node.start
    }
    from = Math.min(from, node.start)
    to = Math.max(to, node.end)
  }
  return order.length > 0 ? [from, to] : [0, 0]
}

/** The visible rows, from top to bottom. */
export function openRows({ roots }: Tree, isClosed: (id: string) => boolean): Node[] {
  const rows: Node[] = []
  const stack = [...roots].reverse()
  for (let node = stack.pop(); node; node = stack.pop()) {
    rows.push(node)
    if (isClosed(node.span.id)) continue
    for (let index = node.children.length - 1; index >= 0; index--) stack.push(node.children[index]!)
  }
  return rows
}
