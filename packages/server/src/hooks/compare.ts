// The difference between two versions of a hook: fields one by one, the script line by line.

import type { Content, Draft } from './content.js'

export interface FieldDifference {
  readonly field: string
  readonly from: string
  readonly to: string
}

export function differences(from: Content, to: Content): FieldDifference[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  const say = (content: Content, field: string): string => {
    const value = (content as unknown as Record<string, unknown>)[field]
    return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  }
  return fields
    .map(field => ({ field, from: say(from, field), to: say(to, field) }))
    .filter(difference => difference.from !== difference.to)
}

const CONTEXT = 3

/** A unified diff; empty if nothing differs. */
export function scriptDiff(before: Draft, after: Draft): string {
  const old = linesOf(before.script)
  const now = linesOf(after.script)
  const steps = stepsBetween(old, now)
  if (steps.every(({ mark }) => mark === ' ')) return ''
  return hunksOf(steps)
    .map(hunk => {
      const [first] = hunk
      const olds = hunk.filter(({ mark }) => mark !== '+').length
      const news = hunk.filter(({ mark }) => mark !== '-').length
      const head = `@@ -${first!.old + 1},${olds} +${first!.now + 1},${news} @@`
      return [head, ...hunk.map(({ mark, text }) => `${mark}${text}`)].join('\n')
    })
    .join('\n')
}

interface DiffStep {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
  readonly old: number
  readonly now: number
}

const linesOf = (script: string | null): string[] => (script ? script.replace(/\n$/, '').split('\n') : [])

/** Beyond this size an exact diff takes too long: the middle is shown as replaced. */
const LARGEST = 4_000_000

function stepsBetween(old: readonly string[], now: readonly string[]): DiffStep[] {
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail++
  const rows = old.length - head - tail
  const columns = now.length - head - tail
  const keeps =
    rows * columns > LARGEST ? [] : commonIn(old.slice(head, head + rows), now.slice(head, head + columns))
  const steps: DiffStep[] = []
  let o = 0
  let n = 0
  const same = (mark: DiffStep['mark'], text: string) => {
    steps.push({ mark, text, old: o, now: n })
    if (mark !== '+') o++
    if (mark !== '-') n++
  }
  for (; o < head; ) same(' ', old[o]!)
  for (const [keptOld, keptNow] of [...keeps, [rows, columns] as const]) {
    while (o < head + keptOld) same('-', old[o]!)
    while (n < head + keptNow) same('+', now[n]!)
    if (keptOld < rows) same(' ', old[o]!)
  }
  while (o < old.length) same(' ', old[o]!)
  return steps
}

/** The longest common subsequence of lines, as pairs of positions. */
function commonIn(old: readonly string[], now: readonly string[]): [number, number][] {
  const width = now.length + 1
  const longest = new Uint32Array((old.length + 1) * width)
  for (let o = old.length - 1; o >= 0; o--) {
    for (let n = now.length - 1; n >= 0; n--) {
      longest[o * width + n] =
        old[o] === now[n]
          ? longest[(o + 1) * width + n + 1]! + 1
          : Math.max(longest[(o + 1) * width + n]!, longest[o * width + n + 1]!)
    }
  }
  const pairs: [number, number][] = []
  for (let o = 0, n = 0; o < old.length && n < now.length; ) {
    if (old[o] === now[n]) pairs.push([o++, n++])
    else if (longest[(o + 1) * width + n]! >= longest[o * width + n + 1]!) o++
    else n++
  }
  return pairs
}

function hunksOf(steps: readonly DiffStep[]): DiffStep[][] {
  const hunks: DiffStep[][] = []
  let until = -1
  steps.forEach(({ mark }, index) => {
    if (mark === ' ') return
    const from = Math.max(index - CONTEXT, until + 1)
    if (hunks.length === 0 || from > until + 1) hunks.push([])
    hunks.at(-1)!.push(...steps.slice(from, index + 1 + CONTEXT).filter((_, at) => from + at > until))
    until = Math.min(steps.length - 1, index + CONTEXT)
  })
  return hunks
}
