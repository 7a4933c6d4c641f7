import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../tests/cpu-time.js'
import { around, asZoom, brushed, idlePart, LEAST_PX, layout, readZoom, segmentsOf } from './trace-layout.js'
import { growTree, openRows, type SpanLike } from './trace-tree.js'

const span = (id: string, parentId: string, startMs: number, endMs?: number): SpanLike => ({
  id,
  parentId,
  kind: 'tool',
  name: id,
  subject: '',
  startMs,
  ...(endMs === undefined ? {} : { endMs }),
  event: '',
  verdict: '',
  source: '',
  runId: '',
})
const grow = (...spans: SpanLike[]) => growTree(spans)
const rows = (tree: ReturnType<typeof growTree>, closed: readonly string[] = []) =>
  openRows(tree, id => closed.includes(id)).map(({ span, depth }) => `${' '.repeat(depth)}${span.id}`)
const box = { width: 1000 }

describe('the tree of a session', () => {
  it('puts children under their parents, by their start, in any order of the list', () => {
    const tree = grow(span('b', 'a', 5, 6), span('c', 'b', 5, 6), span('a', '', 0, 9), span('d', 'a', 1, 2))
    expect(rows(tree)).toEqual(['a', ' d', ' b', '  c'])
    expect(rows(tree, ['b'])).toEqual(['a', ' d', ' b'])
    expect(rows(tree, ['a'])).toEqual(['a'])
  })

  it('keeps spans whose parent is gone, is itself, or is below them', () => {
    expect(rows(grow(span('a', 'gone', 0, 1), span('b', 'b', 1, 2)))).toEqual(['a', 'b'])
    expect(
      rows(grow(span('a', 'b', 0, 1), span('b', 'a', 1, 2)))
        .map(row => row.trim())
        .sort(),
    ).toEqual(['a', 'b'])
    expect(rows(grow(span('a', '', 0, 1), span('a', '', 0, 1)))).toEqual(['a'])
    expect(grow()).toMatchObject({ size: 0, from: 0, to: 0 })
  })

  it('ends a span without an end with the last of what it holds', () => {
    const tree = grow(span('a', '', 0), span('b', 'a', 3, 8), span('c', '', 20))
    expect(tree.byId.get('a')).toMatchObject({ end: 8, isOpen: true })
    expect(tree.byId.get('c')).toMatchObject({ end: 20, isOpen: true })
    expect(tree).toMatchObject({ from: 0, to: 20 })
  })

  it('does not let a span end before it begins', () => {
    expect(grow(span('a', '', 10, 4)).byId.get('a')).toMatchObject({ start: 10, end: 10, isSkewed: true })
  })

  it('takes a clock that runs behind: the session begins where the first of it does', () => {
    expect(grow(span('a', '', 0, 100), span('b', 'a', -40, -10))).toMatchObject({ from: -40, to: 100 })
  })

  it('takes times that are none', () => {
    const tree = grow(span('a', '', 7, 9), span('b', 'a', Number.NaN, Number.POSITIVE_INFINITY))
    expect(tree.byId.get('b')).toMatchObject({ start: 7, end: 7, isOpen: true })
  })

  it('grows from 30,000 spans, 200 deep, with bounded work', () => {
    const many = Array.from({ length: 30_000 }, (_, index) =>
      span(String(index), index % 200 === 0 ? '' : String(index - 1), index, index + 200),
    )
    let tree = growTree([])
    const work = cpuMs(() => {
      tree = growTree(many.reverse())
      expect(openRows(tree, () => false)).toHaveLength(30_000)
      segmentsOf(tree)
    })
    expect(work).toBeLessThan(3000)
    expect(Math.max(...[...tree.byId.values()].map(({ depth }) => depth))).toBe(199)
  })
})

describe('the bars of a session', () => {
  const whole = { from: 0, to: 18_000 }
  const marks = (start: number, end: number, window = whole) => layout(box, [{ start, end }], window).marks[0]

  it('are never too small to be seen, nor beyond the edge', () => {
    expect(marks(9000, 9004)).toMatchObject({ left: 500, width: LEAST_PX })
    expect(marks(9000, 9000)).toMatchObject({ left: 500, width: LEAST_PX })
    expect(marks(18_000, 18_000)).toMatchObject({ left: 996, width: LEAST_PX })
  })

  it('of a child outside of its parent keep their position', () => {
    const tree = grow(span('a', '', 100, 200), span('b', 'a', 150, 400), span('c', 'a', 20, 60))
    const nodes = openRows(tree, () => false)
    const { marks } = layout(box, nodes, { from: tree.from, to: tree.to })
    for (const mark of marks) {
      expect(mark!.left).toBeGreaterThanOrEqual(0)
      expect(mark!.left + mark!.width).toBeLessThanOrEqual(1000)
    }
  })

  it('say when they go on outside of the window, and where those are that one does not see', () => {
    const window = { from: 100, to: 200 }
    expect(marks(50, 150, window)).toEqual({ left: 0, width: 500, cutLeft: true, cutRight: false })
    expect(marks(0, 900, window)).toEqual({ left: 0, width: 1000, cutLeft: true, cutRight: true })
    expect(
      layout(
        box,
        [
          { start: 0, end: 50 },
          { start: 300, end: 400 },
        ],
        window,
      ),
    ).toMatchObject({
      marks: [null, null],
      sides: ['before', 'after'],
    })
  })

  it('accept a window without length, and a box without width', () => {
    expect(layout(box, [{ start: 5, end: 5 }], { from: 5, to: 5 }).marks[0]).toMatchObject({
      width: LEAST_PX,
    })
    expect(layout({ width: 0 }, [{ start: 0, end: 5 }], whole)).toMatchObject({ marks: [null], ticks: [] })
  })

  it('have round figures over them', () => {
    expect(layout({ width: 400 }, [], whole).ticks.map(({ label }) => label)).toEqual([
      '0 s',
      '5 s',
      '10 s',
      '15 s',
    ])
  })
})

describe('idle time', () => {
  const tree = grow(
    span('all', '', 0, 100_000),
    span('a', 'all', 0, 1000),
    span('b', 'all', 500, 2000),
    span('c', 'all', 90_000, 91_000),
    span('d', 'all', 99_500, 100_000),
  )
  const segments = segmentsOf(tree)

  it('is what lies between things that went on, not what only waited for them', () => {
    expect(segments).toEqual([
      { from: 0, to: 2000, isIdle: false },
      { from: 2000, to: 90_000, isIdle: true },
      { from: 90_000, to: 91_000, isIdle: false },
      { from: 91_000, to: 99_500, isIdle: true },
      { from: 99_500, to: 100_000, isIdle: false },
    ])
    expect(idlePart(segments)).toBeCloseTo(0.965)
  })

  it('takes little width when it is compressed, and keeps the order', () => {
    const nodes = openRows(tree, () => false)
    const { marks, ticks } = layout(box, nodes, { from: 0, to: 100_000 }, segments)
    const [, a, , c, d] = marks
    expect(a!.width).toBeGreaterThan(250)
    expect(c!.left).toBeGreaterThan(a!.left + a!.width)
    expect(d!.left + d!.width).toBeLessThanOrEqual(1000)
    expect(ticks.map(({ at }) => at)).toEqual([0, 90_000, 99_500])
  })

  it('is not the time that a tool took beside its hooks', () => {
    const hook = { ...span('h', 'a', 0, 10), kind: 'hook' }
    expect(idlePart(segmentsOf(grow(span('p', '', 0, 9000), span('a', 'p', 0, 9000), hook)))).toBe(0)
  })

  it('is none where all is one moment', () => {
    expect(segmentsOf(grow(span('a', '', 5, 5)))).toEqual([])
    expect(idlePart([])).toBe(0)
  })
})

describe('the window', () => {
  it('is written in the address, and read back', () => {
    expect(readZoom(asZoom({ from: 1200, to: 3400.5 }))).toEqual({ from: 1200, to: 3400.5 })
    expect(readZoom('-40-100')).toEqual({ from: -40, to: 100 })
    for (const odd of [undefined, '', '5', '9-3', 'a-b', '1-2-3', '1e3-2e3']) expect(readZoom(odd)).toBeNull()
  })

  it('is dragged in either direction, ends at the edge, and a click is none', () => {
    const whole = { from: 0, to: 100 }
    expect(brushed(20, 50, 100, whole)).toEqual({ from: 20, to: 50 })
    expect(brushed(50, 20, 100, whole)).toEqual({ from: 20, to: 50 })
    expect(brushed(50, 900, 100, whole)).toEqual({ from: 50, to: 100 })
    expect(brushed(50, 52, 100, whole)).toBeNull()
  })

  it('leaves some air around a span', () => {
    expect(around({ start: 100, end: 200 }, { from: 0, to: 1000 })).toEqual({ from: 95, to: 205 })
    expect(around({ start: 0, end: 0 }, { from: 0, to: 1000 })).toEqual({ from: 0, to: 1 })
  })
})
