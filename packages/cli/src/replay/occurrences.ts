// The log contains runs; a replay fires events. Runs of one event have its id; in older logs they are adjacent, with
// the same request, each of another hook.

import type { RunRecord } from '@holdfast/hooks'

export interface Occurrence {
  /** In the order in which they were written. */
  readonly records: readonly [RunRecord, ...RunRecord[]]
}

/** Takes records newest first, and yields events newest first. */
export function* occurrences(records: Iterable<RunRecord>): Generator<Occurrence> {
  let group: RunRecord[] = []
  for (const record of records) {
    const [newest] = group
    if (newest && !belongs(record, newest, group)) {
      yield toOccurrence(group)
      group = []
    }
    group.push(record)
  }
  if (group.length > 0) yield toOccurrence(group)
}

const toOccurrence = (group: readonly RunRecord[]): Occurrence => ({
  records: group.toReversed() as [RunRecord, ...RunRecord[]],
})

function belongs(record: RunRecord, other: RunRecord, group: readonly RunRecord[]): boolean {
  if (record.event_id !== undefined || other.event_id !== undefined) return record.event_id === other.event_id
  return sameRequest(record, other) && !group.some(each => hookKey(each) === hookKey(record))
}

const sameRequest = (a: RunRecord, b: RunRecord): boolean =>
  a.event === b.event && a.profile === b.profile && JSON.stringify(a.request) === JSON.stringify(b.request)

const hookKey = ({ source, file, line, hook }: RunRecord): string =>
  JSON.stringify([source, file, line, hook])

/** Parts of the payload that the log does not contain: `request.content: left out (contents)`. */
export const leftOut = ({ records }: Occurrence): string[] => {
  const notes = records[0].redacted
  return Array.isArray(notes) ? notes.map(String).filter(note => note.startsWith('request')) : []
}

/** Null for events that belong to no conversation. */
export const sessionOf = ({ records }: Occurrence): string | null => records[0].conversation_id ?? null
