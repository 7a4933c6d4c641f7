// A replay as one JSON object. All keys are always present; null means nothing.

import type { RunRecord } from '@holdfast/hooks'
import { KINDS } from './compare.js'
import type { Effect } from './effect.js'
import { sessionOf } from './occurrences.js'
import type { Played, Replayed } from './play.js'
import { changesOf } from './report.js'
import type { Selected } from './select.js'

export function playedJson({ replayed, notReplayed }: Played, selected: Selected, hooksFile: string | null) {
  const certain = replayed.filter(({ leftOut }) => leftOut.length === 0)
  const doubtful = replayed.length - certain.length
  return {
    hooks_file: hooksFile,
    events: selected.events.length,
    sessions: new Set(selected.events.map(sessionOf)).size,
    counts: Object.fromEntries(
      KINDS.map(kind => [kind.replace('-', '_'), certain.filter(one => one.kind === kind).length]),
    ),
    in_doubt: doubtful,
    changes: changesOf(replayed).map(changeJson),
    not_replayed: notReplayed.map(({ one, reason }) => ({ ...whereJson(one.records[0]), reason })),
    other_projects: selected.elsewhere,
    more: selected.more,
    broken_lines: selected.brokenLines,
  }
}

const changeJson = ({ one, kind, fields, before, after, leftOut }: Replayed) => ({
  ...whereJson(one.records[0]),
  kind,
  in_doubt: leftOut.length > 0,
  left_out: leftOut,
  fields,
  request: one.records[0].request,
  before: effectJson(before),
  after: effectJson(after),
})

const whereJson = ({ event, time, conversation_id, profile }: RunRecord) => ({
  event,
  time,
  session: conversation_id ?? null,
  profile,
})

const effectJson = ({ decision, given, deciders, failed }: Effect) => ({
  decision,
  given,
  deciders: deciders.map(({ source, hook, file, line }) => ({ source, hook, file, line })),
  failed_runs: failed.length,
})
