// Spans from the columns that the server sends.

import type { Spans } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import type { SpanLike } from '../../../parts/trace-tree.js'

export function spansOf(columns: Spans | undefined): SpanLike[] {
  if (!columns) return []
  const word = (list: readonly number[], at: number) => columns.words[list[at] ?? -1] ?? ''
  const ids = columns.idKind.map((_, at) => `${word(columns.idKind, at)}:${word(columns.idOf, at)}`)
  return ids.map((id, at) => ({
    id,
    parentId: ids[(columns.parent[at] ?? 0) - 1] ?? '',
    kind: word(columns.kind, at),
    name: word(columns.name, at),
    subject: word(columns.subject, at),
    event: word(columns.event, at),
    verdict: word(columns.verdict, at),
    source: word(columns.source, at),
    runId: word(columns.runId, at),
    startMs: columns.startMs[at] ?? 0,
    endMs: columns.endMs[at],
  }))
}
