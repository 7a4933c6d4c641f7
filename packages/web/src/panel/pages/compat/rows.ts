// Which rows are shown, and what a cell says.

import type { CompatCell, CompatRow } from '../../../gen/holdfast/panel/v1/panel_pb.js'

/** What a link calls a row. */
export const keyOf = ({ file, line, event, hook }: CompatRow): string => `${file}:${line} ${event} ${hook}`

export const isSame = ({ cells }: CompatRow): boolean => cells.every(({ state }) => state === 'works')

export interface CompatFilter {
  readonly events: readonly string[]
  readonly onlyDifferences: boolean
}

export const shownRows = (
  rows: readonly CompatRow[],
  { events, onlyDifferences }: CompatFilter,
): CompatRow[] =>
  rows.filter(row => (events.length === 0 || events.includes(row.event)) && !(onlyDifferences && isSame(row)))

export const CELL_WORDS: Readonly<Record<string, string>> = {
  works: 'works',
  differs: 'differs',
  weaker: 'weaker',
  ignored: 'ignored',
}

export const cellWord = ({ state }: CompatCell): string => CELL_WORDS[state] ?? state

/** The versions in which the notes are the same, together. */
export function noted(
  profiles: readonly string[],
  { cells }: CompatRow,
): { profiles: string[]; cell: CompatCell }[] {
  const groups = new Map<string, { profiles: string[]; cell: CompatCell }>()
  for (const [index, cell] of cells.entries()) {
    const key = JSON.stringify([cell.state, cell.notes])
    const group = groups.get(key)
    const name = profiles[index] ?? ''
    if (group) group.profiles.push(name)
    else groups.set(key, { profiles: [name], cell })
  }
  return [...groups.values()]
}
