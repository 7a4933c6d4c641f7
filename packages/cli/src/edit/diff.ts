// The effect of edits on a text, as lines for the user.

import { type Edit, inOrder } from './jsonc.js'

export interface DiffLine {
  readonly mark: '+' | '-' | ' '
  readonly text: string
}

interface Hunk {
  from: number
  to: number
  edits: Edit[]
}

export function diffOf(before: string, edits: readonly Edit[]): DiffLine[] {
  const old = before.split('\n')
  const starts = [0]
  for (const line of old) starts.push(starts.at(-1)! + line.length + 1)
  const out: DiffLine[] = []
  let shown = 0
  for (const { from, to, edits: own } of hunksOf(starts, edits)) {
    const base = starts[from]!
    let text = old.slice(from, to + 1).join('\n')
    for (const { offset, length, text: put } of own.toReversed()) {
      text = text.slice(0, offset - base) + put + text.slice(offset - base + length)
    }
    const { gone, come, head, tail } = trimmed(old.slice(from, to + 1), text.split('\n'))
    const context = [...old.slice(Math.max(shown, from - 1), from), ...head].slice(-1)
    out.push(
      ...lines(' ', context),
      ...lines('-', gone),
      ...lines('+', come),
      ...lines(' ', tail.slice(0, 1)),
    )
    shown = to + 1
  }
  return out
}

/** The same for a text that was not made by edits. */
export function diffBetween(before: string, after: string): DiffLine[] {
  const { gone, come, head, tail } = trimmed(before.split('\n'), after.split('\n'))
  return [
    ...lines(' ', head.slice(-1)),
    ...lines('-', gone),
    ...lines('+', come),
    ...lines(' ', tail.slice(0, 1)),
  ]
}

/** A new file. */
export const allAdded = (text: string): DiffLine[] => lines('+', text.trimEnd().split('\n'))

const lines = (mark: DiffLine['mark'], texts: readonly string[]): DiffLine[] =>
  texts.map(text => ({ mark, text: text.replace(/\r$/, '') }))

/** Edits of the same line form one hunk. */
function hunksOf(starts: readonly number[], edits: readonly Edit[]): Hunk[] {
  const hunks: Hunk[] = []
  let at = 0
  const lineOf = (offset: number) => {
    while (starts[at + 1]! <= offset) at++
    return at
  }
  for (const edit of inOrder(edits)) {
    const from = lineOf(edit.offset)
    const to = lineOf(edit.offset + edit.length)
    const before = hunks.at(-1)
    if (before && from <= before.to) {
      before.to = Math.max(before.to, to)
      before.edits.push(edit)
    } else hunks.push({ from, to, edits: [edit] })
  }
  return hunks
}

/** Without equal lines at both ends. */
function trimmed(old: readonly string[], now: readonly string[]) {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  return {
    head: old.slice(0, start),
    gone: old.slice(start, old.length - end),
    come: now.slice(start, now.length - end),
    tail: old.slice(old.length - end),
  }
}
