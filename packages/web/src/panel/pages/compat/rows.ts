// The filter of the table, and the notes of a row.

import type { CompatCell, CompatRow } from '../../../gen/holdfast/panel/v1/panel_pb.js'

/** The name of a row in a link. */
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
