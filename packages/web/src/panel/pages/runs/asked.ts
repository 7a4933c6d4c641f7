// What the address asks of the list, as the server and as a new run understand it.

import type { RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { asMoment, type Range } from '../../../parts/filters-range.js'
import { listOf, type Texts } from '../../../shell/search.js'

export type RunsSearch = Texts<
  'verdict' | 'event' | 'hook' | 'source' | 'q' | 'range' | 'from' | 'to' | 'run'
>

export interface Asked {
  readonly from: string
  readonly to: string
  readonly verdicts: string[]
  readonly events: string[]
  readonly hooks: string[]
  readonly sources: string[]
  readonly text: string
}

export const askedOf = (search: RunsSearch, { from, to }: Pick<Range, 'from' | 'to'>): Asked => ({
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

/** Whether a new run belongs to the list. Text is left to the server, which sees more of a run than its line. */
export const fits = ({ from, to, verdicts, events, hooks, sources }: Asked, run: RunSummary): boolean =>
  among(verdicts, run.verdict) &&
  among(events, run.event) &&
  among(hooks, run.hook) &&
  among(sources, run.source) &&
  (from === '' || Date.parse(run.at) >= Date.parse(from)) &&
  (to === '' || Date.parse(run.at) < Date.parse(to))
