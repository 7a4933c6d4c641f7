// Spans in the form for the page: column by column, and each string once.

import type { Spans } from '@holdfast/web/panel'
import type { Span } from './trace.js'

type Columns = Omit<Spans, '$typeName' | '$unknown'>

export function inColumns(spans: readonly Span[]): Columns {
  const words = new Map<string, number>()
  const wordOf = (text: string): number => {
    const known = words.get(text)
    if (known !== undefined) return known
    words.set(text, words.size)
    return words.size - 1
  }
  const places = new Map<string, number>([['', 0]])
  const columns: Columns = {
    words: [],
    idKind: [],
    idOf: [],
    parent: [],
    kind: [],
    name: [],
    subject: [],
    event: [],
    verdict: [],
    source: [],
    runId: [],
    startMs: [],
    endMs: [],
  }
  for (const span of spans) {
    const { id, endMs } = span
    const colon = id.indexOf(':')
    places.set(id, places.size)
    columns.idKind.push(wordOf(id.slice(0, colon)))
    columns.idOf.push(wordOf(id.slice(colon + 1)))
    columns.parent.push(places.get(span.parentId) ?? 0)
    columns.kind.push(wordOf(span.kind))
    columns.name.push(wordOf(span.name))
    columns.subject.push(wordOf(span.subject))
    columns.event.push(wordOf(span.event))
    columns.verdict.push(wordOf(span.verdict))
    columns.source.push(wordOf(span.source))
    columns.runId.push(wordOf(span.runId))
    columns.startMs.push(span.startMs)
    columns.endMs.push(endMs ?? Number.NaN)
  }
  columns.words = [...words.keys()]
  return columns
}
