// Aligned rows with a text at the end of each. A text that does not fit beside its row is broken in its column if
// the column is wide, and goes below otherwise.

import { layoutWidth, pad, padLeft, shorten, width, wrap } from './text.js'

export interface Cell {
  readonly text: string
  /** Colours are added after measuring. */
  readonly style?: (text: string) => string
}

export interface Row {
  readonly cells: readonly Cell[]
  readonly text?: Cell & {
    /** Shortened to fit beside the row, because the full text is elsewhere. */
    readonly brief?: boolean
  }
  /** Complete lines below the row. */
  readonly below?: readonly Cell[]
}

export interface Column {
  readonly right?: boolean
  /** Minimum width, so that two screens are aligned. */
  readonly least?: number
  /** Maximum share of the width of the screen. */
  readonly share?: number
}

const INDENT = 2
const GAP = 2
/** Durations up to a minute. */
export const DURATION: Column = { right: true, least: 6 }

/** Extra space before the text. */
const TEXT_GAP = 3
/** A narrower column would hold one word per line. */
const NARROWEST_TEXT = 44
const SHORTEST_BRIEF = 16

export const renderRows = (...table: Parameters<typeof renderEach>): string[] => renderEach(...table).flat()

/** The lines of each row. Lines below a row are indented to its second column, or to another. */
export function renderEach(
  rows: readonly Row[],
  columns: readonly Column[],
  screenWidth: number,
  belowColumn = 1,
): string[][] {
  const widths = columns.map((column, index) => {
    // A loop, because the number of arguments of a call is limited.
    let widest = column.least ?? 0
    for (const { cells } of rows) widest = Math.max(widest, width(cells[index]?.text ?? ''))
    return column.share === undefined ? widest : Math.min(widest, Math.floor(screenWidth * column.share))
  })
  const start = INDENT + widths.reduce((sum, each) => sum + each + GAP, 0) - GAP + TEXT_GAP
  const isBelowText = belowColumn >= columns.length && rows.some(({ text }) => text)
  const belowIndent = isBelowText
    ? start
    : INDENT + widths.slice(0, belowColumn).reduce((sum, each) => sum + each + GAP, 0)
  return rows.map(row => {
    const line = row.cells.map((cell, index) => fit(cell, widths[index] ?? 0, columns[index]))
    const head = `${' '.repeat(INDENT)}${line.join(' '.repeat(GAP))}`
    const below = (row.below ?? []).flatMap(cell => indented(cell, belowIndent, screenWidth))
    if (!row.text || row.text.text === '') return [head.trimEnd(), ...below]
    const room = screenWidth - start
    if (row.text.brief) {
      const short = room < SHORTEST_BRIEF ? '' : (row.text.style ?? asIs)(shorten(row.text.text, room))
      return [`${head}${' '.repeat(TEXT_GAP)}${short}`.trimEnd(), ...below]
    }
    if (room < NARROWEST_TEXT && layoutWidth(row.text.text) > room) {
      return [head.trimEnd(), ...indented(row.text, belowIndent, screenWidth), ...below]
    }
    const style = row.text.style ?? asIs
    const [first = '', ...rest] = wrap(row.text.text, room)
    const beside = rest.map(part => `${' '.repeat(start)}${style(part)}`)
    return [`${head}${' '.repeat(TEXT_GAP)}${style(first)}`, ...beside, ...below]
  })
}

export const indented = ({ text, style = asIs }: Cell, indent: number, screenWidth: number): string[] =>
  wrap(text, Math.max(20, screenWidth - indent)).map(part => `${' '.repeat(indent)}${style(part)}`)

function fit({ text, style = asIs }: Cell, to: number, column: Column | undefined): string {
  const short = shorten(text, to)
  const space = column?.right ? padLeft(short, to) : pad(short, to)
  // Styles apply to the word, not to the space around it.
  return space.replace(short, () => style(short))
}

const asIs = (text: string) => text
