// Aligned rows with a text at the end of each. Where the text does not fit beside its row it is broken in its
// column, and where even that column would be too small it goes below.

import { pad, padLeft, shorten, width, wrap } from './text.js'

export interface Cell {
  readonly text: string
  /** Colour is put on after measuring. */
  readonly style?: (text: string) => string
}

export interface Row {
  readonly cells: readonly Cell[]
  readonly text?: Cell
  /** Whole lines below the row, already made. */
  readonly below?: readonly Cell[]
}

export interface Column {
  readonly right?: boolean
  /** Not wider than this share of the screen. */
  readonly share?: number
}

const INDENT = 2
const GAP = 2
/** Before the text, so that it stands apart. */
const TEXT_GAP = 3
/** Less than this beside a row is not worth reading. */
const SMALLEST_TEXT = 32

export function renderRows(rows: readonly Row[], columns: readonly Column[], screenWidth: number): string[] {
  const widths = columns.map((column, index) => {
    const widest = Math.max(0, ...rows.map(row => width(row.cells[index]?.text ?? '')))
    return column.share === undefined ? widest : Math.min(widest, Math.floor(screenWidth * column.share))
  })
  const start = INDENT + widths.reduce((sum, each) => sum + each + GAP, 0) - GAP + TEXT_GAP
  const belowIndent = INDENT + (widths[0] ?? 0) + GAP
  return rows.flatMap(row => {
    const line = row.cells.map((cell, index) => fit(cell, widths[index] ?? 0, columns[index]))
    const head = `${' '.repeat(INDENT)}${line.join(' '.repeat(GAP))}`
    const below = (row.below ?? []).flatMap(cell => indented(cell, belowIndent, screenWidth))
    if (!row.text || row.text.text === '') return [head.trimEnd(), ...below]
    const room = screenWidth - start
    if (room < SMALLEST_TEXT && width(row.text.text) > room) {
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
  // Styles colour the word, not the space around it.
  return space.replace(short, () => style(short))
}

const asIs = (text: string) => text
