// --list: the conversations in the log.

import { place } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import { isNarrow, type Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { type Occurrence, sessionOf } from './occurrences.js'

export interface SessionRow {
  readonly session: string | null
  readonly events: number
  readonly denied: number
  readonly first: string
  readonly last: string
  readonly root: string | null
}

/** Oldest first, by their last event. */
export function sessionsOf(events: readonly Occurrence[]): SessionRow[] {
  const found = new Map<string | null, SessionRow>()
  for (const one of events) {
    const [{ time, verdict, request }] = one.records
    const id = sessionOf(one)
    const before = found.get(id)
    const isDenied = verdict?.permission === 'deny' || verdict?.continue === false
    const root = Array.isArray(request.workspace_roots) ? String(request.workspace_roots[0] ?? '') : ''
    found.delete(id)
    found.set(id, {
      session: id,
      events: (before?.events ?? 0) + 1,
      denied: (before?.denied ?? 0) + (isDenied ? 1 : 0),
      first: before?.first ?? time,
      last: time,
      root: before?.root ?? (root === '' ? null : root),
    })
  }
  return [...found.values()]
}

export function sessionLines(rows: readonly SessionRow[], screen: Screen): string {
  const narrow = isNarrow(screen)
  const table = rows.map(({ session, events, denied, first, last, root }): Row => {
    const times = first === last ? timeWords(first) : `${timeWords(first)} to ${timeWords(last)}`
    const short = root === null ? '' : place(root, null, screen)
    const where = short === '.' ? '' : short
    return {
      cells: [
        { text: visible(session ?? '(no conversation)') },
        { text: count(events, 'event'), style: screen.dim },
        { text: denied > 0 ? `${denied} denied` : '', style: screen.red },
        ...(narrow ? [] : [{ text: times, style: screen.dim }]),
      ],
      ...(narrow
        ? { below: [{ text: `${times} ${where}`.trim(), style: screen.dim }] }
        : { text: { text: where, style: screen.dim } }),
    }
  })
  const columns = [{ share: 0.4 }, { right: true }, {}, {}]
  return renderRows(table, narrow ? columns.slice(0, 3) : columns, screen.columns).join('\n')
}

/** Local time, to the minute. */
export function timeWords(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return visible(time)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
