// The filters in the address, as the server and new runs are compared with them.

import type { RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { asMoment, type Range } from '../../../parts/filters-range.js'
import { listOf, type Texts } from '../../../shell/search.js'

export type RunsSearch = Texts<
  'verdict' | 'event' | 'hook' | 'source' | 'q' | 'range' | 'from' | 'to' | 'run'
>

export interface RunFilter {
  readonly from: string
  readonly to: string
  readonly verdicts: string[]
  readonly events: string[]
  readonly hooks: string[]
  readonly sources: string[]
  readonly text: string
}

export const filterOf = (search: RunsSearch, { from, to }: Pick<Range, 'from' | 'to'>): RunFilter => ({
  from: from === undefined ? '' : asMoment(from),
  to: to === undefined ? '' : asMoment(to),
  verdicts: listOf(search.verdict),
  events: listOf(search.event),
  hooks: listOf(search.hook),
  sources: listOf(search.source),
  text: search.q ?? '',
})

/** Everything but the time. */
export const isNarrowed = ({ verdict, event, hook, source, q }: RunsSearch): boolean =>
  !!(verdict || event || hook || source || q)

const among = (chosen: readonly string[], value: string) => chosen.length === 0 || chosen.includes(value)

const anyAmong = (chosen: readonly string[], values: readonly string[]) =>
  chosen.length === 0 || values.some(value => chosen.includes(value))

/** Whether a new run belongs to the list. Only the server compares text, since it has more of a run than its row. */
export const isMatch = (
  { from, to, verdicts, events, hooks, sources }: RunFilter,
  run: RunSummary,
): boolean =>
  among(verdicts, run.verdict) &&
  among(events, run.event) &&
  anyAmong(
    hooks,
    run.hooks.map(({ group }) => group),
  ) &&
  anyAmong(
    sources,
    run.hooks.map(({ source }) => source),
  ) &&
  (from === '' || Date.parse(run.at) >= Date.parse(from)) &&
  (to === '' || Date.parse(run.at) < Date.parse(to))
