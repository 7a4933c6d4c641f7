// Changes of a text in the form for hooks: with line and column, counted from 1, in the text before.

/** `text` replaces the range from `start` to before `end`; both are offsets in the text before all changes. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text after all changes. */
export function withChanges(before: string, changes: readonly Change[]): string {
  let out = ''
  let at = 0
  for (const { start, end, text } of inOrder(before, changes)) {
    out += before.slice(at, start) + text
    at = end
  }
  return out + before.slice(at)
}

export const editsOf = (before: string, changes: readonly Change[]) =>
  inOrder(before, changes)
    .filter(({ start, end, text }) => before.slice(start, end) !== text)
    .map(({ start, end, text }) => {
      const from = placeOf(before, start)
      const to = placeOf(before, end)
      const lineStart = start - from.column + 1
      const nextBreak = before.indexOf('\n', end)
      const lineEnd = nextBreak === -1 ? before.length : nextBreak
      return {
        old_string: before.slice(start, end),
        new_string: text,
        range: {
          start_line_number: from.line,
          start_column: from.column,
          end_line_number: to.line,
          end_column: to.column,
        },
        old_line: before.slice(lineStart, lineEnd),
        new_line: before.slice(lineStart, start) + text + before.slice(end, lineEnd),
      }
    })

function inOrder(before: string, changes: readonly Change[]): readonly Change[] {
  const sorted = changes.toSorted((a, b) => a.start - b.start || a.end - b.end)
  let at = 0
  for (const { start, end } of sorted) {
    const isPlace = Number.isInteger(start) && Number.isInteger(end) && start <= end && end <= before.length
    if (!isPlace || start < 0) {
      throw new RangeError(`A change from ${start} to ${end} is not inside a text of ${before.length}.`)
    }
    if (start < at) throw new RangeError(`Two changes overlap at ${start}.`)
    at = end
  }
  return sorted
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const lineStart = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return { line, column: offset - lineStart + 1 }
}
