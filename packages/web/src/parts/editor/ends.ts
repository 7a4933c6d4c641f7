// The editor has one kind of line break and no byte order mark. Saving restores those of the file: an unchanged line keeps
// its line break, a new line gets the most frequent one.

const MARK = '\ufeff'

/** The text in the form of the editor. */
export const shown = (text: string): string => text.replace(MARK_AT_START, '').replace(/\r\n?/g, '\n')
const MARK_AT_START = new RegExp(`^${MARK}`)

/** The edited text with the line breaks and the byte order mark of the original. */
export function asBefore(before: string, edited: string): string {
  const mark = before.startsWith(MARK) ? MARK : ''
  const old = linesOf(mark ? before.slice(1) : before)
  const kinds = new Map<string, number>()
  for (const { end } of old) if (end !== '') kinds.set(end, (kinds.get(end) ?? 0) + 1)
  const [usual = '\n'] = [...kinds].sort((a, b) => b[1] - a[1])[0] ?? []
  if (kinds.size <= 1) return mark + (usual === '\n' ? edited : edited.replaceAll('\n', usual))

  const now = edited.split('\n')
  const same = (a: number, b: number) => old[a] !== undefined && old[a].text === now[b]
  let head = 0
  while (head < now.length && same(head, head)) head++
  let tail = 0
  while (tail < Math.min(now.length, old.length) - head && same(old.length - 1 - tail, now.length - 1 - tail))
    tail++
  let at = head
  const ended = now.map((text, index) => {
    const isLast = index === now.length - 1
    if (index < head) return text + (isLast ? '' : old[index]!.end || usual)
    if (index >= now.length - tail)
      return text + (isLast ? '' : old[old.length - now.length + index]!.end || usual)
    const found = old.findIndex(
      (line, place) => place >= at && place < old.length - tail && line.text === text,
    )
    if (found === -1) return text + (isLast ? '' : (old[at]?.end ?? '') || usual)
    at = found + 1
    return text + (isLast ? '' : old[found]!.end || usual)
  })
  return mark + ended.reduce(join, '')
}

/** A bare \r before an empty line with \n would read as one line break. */
const join = (text: string, line: string): string =>
  text + (text.endsWith('\r') && line.startsWith('\n') ? `\r${line}` : line)

function linesOf(text: string): { text: string; end: string }[] {
  const parts = text.split(/(\r\n|\r|\n)/)
  const lines = []
  for (let index = 0; index < parts.length; index += 2)
    lines.push({ text: parts[index]!, end: parts[index + 1] ?? '' })
  return lines
}
