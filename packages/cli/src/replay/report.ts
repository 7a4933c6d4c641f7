// The result of a replay as text: how many verdicts change, and which.

import type { RunRecord } from '@holdfast/hooks'
import { headline } from '../print/fire-report.js'
import { place } from '../print/place.js'
import { indented } from '../print/rows.js'
import type { Screen } from '../print/terminal.js'
import { oneLine, shorten, visible } from '../print/text.js'
import { count, shortCommand } from '../print/words.js'
import { type ChangeKind, KINDS, newlyFailed } from './compare.js'
import type { Decision, Effect } from './effect.js'
import { sessionOf } from './occurrences.js'
import type { Played, Replayed } from './play.js'
import type { Selected } from './select.js'
import { timeWords } from './sessions.js'

/** All of them are in --json; a long list is not readable. */
const MOST_SHOWN = 20

const KIND_WORDS: Readonly<Record<ChangeKind, string>> = {
  'newly-denied': 'newly denied',
  'newly-asked': 'newly asked',
  'newly-allowed': 'newly allowed',
  'newly-failing': 'newly failing',
  changed: 'changed otherwise',
  unchanged: 'unchanged',
}

const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  deny: 'deny',
  ask: 'ask',
  allow: 'allow',
  none: 'no decision',
}

export function report(played: Played, selected: Selected, against: string, screen: Screen): string {
  const certain = played.replayed.filter(({ leftOut }) => leftOut.length === 0)
  const doubtful = played.replayed.filter(({ leftOut }) => leftOut.length > 0)
  const sessions = new Set(selected.events.map(sessionOf)).size
  const head = `${count(selected.events.length, 'event')} of ${count(sessions, 'session')}`
  const changes = changesOf(certain)
  const blocks = [
    [`  ${screen.bold(head)}, replayed against ${against}`],
    ...shown(changes, screen),
    ...(changesOf(doubtful).length > 0
      ? [
          [`  ${screen.bold('In doubt')}: the log lacks a part of the payload that these hooks would read`],
          ...shown(changesOf(doubtful), screen),
        ]
      : []),
    notReplayedLines(played, screen),
    closing(certain, doubtful, selected, screen),
  ]
  return `\n${blocks
    .filter(block => block.length > 0)
    .map(block => block.join('\n'))
    .join('\n\n')}\n\n`
}

export const changesOf = (all: readonly Replayed[]): Replayed[] =>
  KINDS.filter(kind => kind !== 'unchanged').flatMap(kind => all.filter(one => one.kind === kind))

function shown(changes: readonly Replayed[], screen: Screen): string[][] {
  const blocks = changes.slice(0, MOST_SHOWN).map(one => change(one, screen))
  const more = changes.length - blocks.length
  return more > 0 ? [...blocks, [screen.dim(`  and ${more} more; all of them: --json`)]] : blocks
}

function change(one: Replayed, screen: Screen): string[] {
  const { before, after, kind, fields } = one
  const [{ event, request, time }] = one.one.records
  const style = kind === 'newly-denied' ? screen.red : kind === 'changed' ? screen.bold : screen.amber
  const head = `  ${headline(event, request, { ...screen, columns: screen.columns - 2 })}`
  const isSame = before.decision === after.decision
  const moved = `${DECISION_WORDS[before.decision]} \u2192 ${DECISION_WORDS[after.decision]}`
  const what = isSame ? '' : `: ${moved}${byWords(one, screen)}`
  const lines = [
    { text: `${KIND_WORDS[kind]}${what}` },
    ...fieldLines(fields, before, after, screen).map(text => ({ text })),
    ...newlyFailed(before, after).map(record => ({
      text: `failed: ${hookWords(record, screen)}: ${oneLine(record.message ?? '')}`,
      style: screen.amber,
    })),
    ...one.leftOut.slice(0, 3).map(note => ({ text: visible(note), style: screen.dim })),
    { text: `${timeWords(time)} \u00b7 session ${visible(sessionOf(one.one) ?? 'none')}`, style: screen.dim },
  ]
  const told = lines.flatMap(line => indented(line, 4, screen.columns))
  return [head, ...told.map((line, at) => (at === 0 ? line.replace(KIND_WORDS[kind], style) : line))]
}

/** The hook that decides now, or that decided before if none does now. */
function byWords({ before, after }: Replayed, screen: Screen): string {
  const now = after.deciders.length > 0
  const [first, ...others] = now ? after.deciders : before.deciders
  if (!first) return ''
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return `${now ? ', by ' : ', no longer by '}${hookWords(first, screen)}${more}`
}

const hookWords = ({ hook, file, line }: RunRecord, screen: Screen) =>
  `${shorten(shortCommand(hook), 60)} (${place(file, line, screen)})`

const fieldLines = (fields: readonly string[], before: Effect, after: Effect, screen: Screen): string[] =>
  fields.map(name => {
    const said = `${name}: ${quoted(before.given[name])} \u2192 ${quoted(after.given[name])}`
    const gives = ({ response }: RunRecord) => response?.[name] !== undefined
    const giver = after.counted.findLast(gives)
    return before.decision === after.decision && giver ? `${said}, by ${hookWords(giver, screen)}` : said
  })

const quoted = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  return shorten(typeof value === 'string' ? `"${oneLine(value)}"` : visible(JSON.stringify(value)), 80)
}

function notReplayedLines({ notReplayed }: Played, screen: Screen): string[] {
  const lines = notReplayed.slice(0, 5).flatMap(({ one, reason }) => {
    const [{ event, time }] = one.records
    return indented(
      { text: `${timeWords(time)}  ${visible(event)}: ${visible(reason)}`, style: screen.dim },
      4,
      screen.columns,
    )
  })
  if (lines.length === 0) return []
  const more = notReplayed.length > 5 ? [screen.dim(`    and ${notReplayed.length - 5} more`)] : []
  return [`  ${screen.amber(count(notReplayed.length, 'event'))} could not be replayed`, ...lines, ...more]
}

function closing(
  certain: readonly Replayed[],
  doubtful: readonly Replayed[],
  selected: Selected,
  screen: Screen,
): string[] {
  const counted = KINDS.map(kind => [kind, certain.filter(one => one.kind === kind).length] as const)
    .filter(([, many]) => many > 0)
    .map(([kind, many]) => `${many} ${KIND_WORDS[kind]}`)
  const doubts = changesOf(doubtful).length
  return [
    `  ${screen.bold(counted.join(', ') || 'nothing to compare')}`,
    ...(doubtful.length > 0
      ? [
          `  ${screen.amber(`${doubtful.length} in doubt`)}, ${doubts} changed: a part of the payload is not in the log`,
        ]
      : []),
    ...leftOutLines(selected, screen),
  ]
}

/** What the log contains besides the events that are shown. */
export const leftOutLines = (
  { more, events, elsewhere, brokenLines }: Selected,
  { dim }: Screen,
): string[] => [
  ...(more ? [dim(`  Older events were skipped; raise --limit above ${events.length}.`)] : []),
  ...(elsewhere > 0
    ? [dim(`  ${count(elsewhere, 'event')} of other projects skipped; add --all to include them.`)]
    : []),
  ...(brokenLines > 0 ? [dim(`  ${count(brokenLines, 'line')} of the log could not be read.`)] : []),
]
