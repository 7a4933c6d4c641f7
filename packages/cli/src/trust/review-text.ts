// The content of hook files, or what changed in it, for a user who decides about all of it: no line is cut at the edge of
// the screen, and characters that a terminal would obey are shown.

import { type DiffLine, diffBetween } from '../edit/diff.js'
import { shortPath } from '../print/place.js'
import type { Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import type { Content, FileReview } from './reviewed.js'

const MOST_LINES = 60
/** Of all files. After that, files are only named. */
const MOST_TOTAL = 400
const LONGEST_LINE = 2000
const INDENT = '    '

/** Files that did not change are only counted. */
export function reviewText(files: readonly FileReview[], screen: Screen): string {
  const shown = files.filter(({ state }) => state !== 'same')
  const same = files.length - shown.length
  let total = 0
  const blocks = shown.map(file => {
    const body = total < MOST_TOTAL ? bodyLines(file, screen) : []
    total += body.length
    return [headLine(file, screen), ...body].join('\n')
  })
  if (same > 0) blocks.push(screen.dim(`  ${count(same, 'file')} as trusted before`))
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n\n`
}

function headLine({ path, state, before, after }: FileReview, screen: Screen): string {
  const word = state === 'unknown' ? 'content' : state
  const now = after ?? before
  const size = now && now.text === null ? ` ${screen.dim(sizeWords(now))}` : ''
  return `  ${screen.amber(word)} ${screen.bold(shortPath(path, screen))}${size}`
}

const sizeWords = ({ bytes }: Content): string =>
  `${bytes.toLocaleString('en')} bytes, binary or too large to show`

function bodyLines({ state, before, after }: FileReview, screen: Screen): string[] {
  if (state === 'removed' || !after || after.text === null) return []
  const isChange = state === 'changed' && before !== null && before.text !== null
  const all: readonly DiffLine[] = isChange
    ? diffBetween(bare(before.text!), bare(after.text))
    : bare(after.text)
        .split('\n')
        .map(text => ({ mark: ' ' as const, text }))
  const printed = all.slice(0, MOST_LINES).flatMap(line => printedLines(line, screen))
  const left = all.length - MOST_LINES
  return left > 0 ? [...printed, screen.dim(`${INDENT}… ${count(left, 'more line')}`)] : printed
}

const bare = (text: string): string => text.replace(/\n$/, '')

function printedLines({ mark, text }: DiffLine, { columns, green, red }: Screen): string[] {
  const style = mark === '+' ? green : mark === '-' ? red : (same: string) => same
  const long = text.length - LONGEST_LINE
  const kept = long > 0 ? `${text.slice(0, LONGEST_LINE)}… ${count(long, 'more character')}` : text
  const parts = brokenAt(visible(kept.replaceAll('\t', '    ')), columns - INDENT.length - 2)
  return parts.map((part, index) => `${INDENT}${style(`${index === 0 ? mark : ' '} ${part}`)}`.trimEnd())
}

function brokenAt(text: string, to: number): string[] {
  const parts: string[] = []
  const characters = [...text]
  for (let at = 0; at === 0 || at < characters.length; at += to)
    parts.push(characters.slice(at, at + to).join(''))
  return parts
}
